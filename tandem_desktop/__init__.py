"""Tandem Desktop: see exactly what an agent will do, approve exactly that, get exactly that, take it back."""

__version__ = "0.1.0"
