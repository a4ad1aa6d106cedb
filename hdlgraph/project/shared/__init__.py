"""The part of a project whose index is shared: where its checkout is, and how it is published."""
