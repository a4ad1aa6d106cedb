"""What a user's own use of an index leaves: conversations and judgements, outside of it."""
