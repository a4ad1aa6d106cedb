"""The report page: run files in, one HTML file out."""
