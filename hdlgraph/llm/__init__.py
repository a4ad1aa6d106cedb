"""Optional language-model clients; nothing here is needed offline."""
