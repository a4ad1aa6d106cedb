"""The views: each makes the answer to one request of one call of `Project`."""
