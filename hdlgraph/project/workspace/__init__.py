"""Several repositories at once: `Workspace`, with the calls of `Project` that all of them answer."""
