"""What all front ends over HTTP share: their address, their guard, their server."""
