"""What all doors over HTTP share: their address, their guard, their server."""
