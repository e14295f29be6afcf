"""A panel as in the tests of the plan."""

from tests.ui.plan.conftest import commands, contents, executor, panel, theme

__all__ = ["commands", "contents", "executor", "panel", "theme"]
