"""The web page and the REST interface of a project: `hdlgraph serve`."""
