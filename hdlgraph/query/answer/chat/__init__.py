"""Conversations: follow-ups become questions that stand by themselves."""
