"""Commands about signals: trace and fsm."""
