"""Agents that behave as a test needs: each a program on standard input and output, from the standard library alone."""
