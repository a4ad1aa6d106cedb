"""The parts of a project that answer what designers ask of hardware: one module a theme."""
