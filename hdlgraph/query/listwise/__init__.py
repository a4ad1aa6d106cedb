"""The order of the first files, by a network that was fitted on questions of many repositories."""
