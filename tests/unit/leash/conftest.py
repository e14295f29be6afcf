"""A shadow whose agent can be put on a leash."""

from tests.unit.shadow.conftest import overlay, why_no_overlay

__all__ = ["overlay", "why_no_overlay"]
