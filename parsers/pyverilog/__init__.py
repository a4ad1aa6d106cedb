"""PyVerilog as an independent witness of what slang and tree-sitter read."""
