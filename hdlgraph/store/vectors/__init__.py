"""Where the vectors of texts are kept: one protocol, exact arrays and LanceDB."""
