"""Elaborates a design by itself: tops, file list, resolved parameters, generates, drivers."""
