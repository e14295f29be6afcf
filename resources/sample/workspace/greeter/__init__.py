"""Say hello, politely."""
