"""How long a test waits for something real before it has found a hang: far longer than a busy machine needs."""

PATIENCE_S = 120.0
PATIENCE_MS = int(PATIENCE_S * 1000)
