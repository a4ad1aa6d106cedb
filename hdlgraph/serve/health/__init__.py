"""The commands `status` and `doctor`: whether index and installation are as they should be."""
