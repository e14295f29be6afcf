"""Engine thread to GUI thread: every event of the stream, again, where widgets may hear it."""

from PySide6.QtCore import QObject, Qt, Signal

from tandem_desktop.events.events import TandemEvent
from tandem_desktop.events.stream import EventStream


class EventBridge(QObject):
    """Re-emit every event on the GUI thread, in order."""

    event_received = Signal(object)
    _crossing = Signal(object)

    def __init__(self, stream: EventStream, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._crossing.connect(self.event_received, Qt.ConnectionType.QueuedConnection)
        self._unsubscribe = stream.subscribe(self._cross)

    def close(self) -> None:
        """Hear nothing more."""
        self._unsubscribe()

    def _cross(self, event: TandemEvent) -> None:
        self._crossing.emit(event)
