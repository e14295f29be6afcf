"""Widgets need no screen; tests that want a real one say so themselves."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
