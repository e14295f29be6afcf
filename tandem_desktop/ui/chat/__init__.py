"""The conversation with an agent: what was said, what it did, and where a person types."""
