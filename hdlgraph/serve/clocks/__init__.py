"""Commands about clocks: clocks and crossings."""
