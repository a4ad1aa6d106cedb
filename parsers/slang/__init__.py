"""Facts from pyslang's syntax trees."""
