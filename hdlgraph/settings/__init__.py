"""Settings: their records, settings.yaml, what a repository may set, where they are found."""
