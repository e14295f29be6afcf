"""The conversation with an agent."""
