"""Commands for continuous integration."""
