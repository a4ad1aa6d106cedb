"""What guards the user: strangers' files and text, child processes, what is sent."""
