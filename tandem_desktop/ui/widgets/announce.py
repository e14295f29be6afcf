"""Say what has changed to a person who listens to the window instead of looking at it."""

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Hand `words` to the screen reader, if there is one; `urgent` interrupts what it is saying."""
    event = QAccessibleAnnouncementEvent(widget, words)
    level = QAccessible.AnnouncementPoliteness.Assertive if urgent else QAccessible.AnnouncementPoliteness.Polite
    event.setPoliteness(level)
    QAccessible.updateAccessibility(event)
