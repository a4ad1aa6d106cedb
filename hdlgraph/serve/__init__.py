"""Command line and other front ends; they call Project and hold no logic."""
