"""The front end for Slack: questions in a channel, answers in the thread."""
