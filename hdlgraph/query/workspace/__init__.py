"""Questions to several repositories at once: evidence that compares, and names that cross over."""
