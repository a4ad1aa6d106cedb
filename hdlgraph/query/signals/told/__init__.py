"""How conditions and values are told: reduced by constants, double negations and parameters."""
