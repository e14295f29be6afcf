"""What a person left on screen: drafts, messages that wait, what was viewed and opened. It all comes back."""

from pydantic import ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.review.since_viewed import Looked
from tandem_desktop.ui.chat.chat_pane import ChatPane
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.window_state import WindowState

_NOT_BEGUN = "new"
"""The draft of a conversation that has not begun; the next new one finds it."""
_SOON_MS = 300
"""A crash loses no more of what was typed than this."""


class ScreenMemory(QObject):
    """Watches the panes and writes down what changes; fills them again when a conversation or a plan is shown."""

    looked_before = Signal(str, object)
    """Plan id and a `Looked` of when it was last on screen; answered by `resume`."""

    def __init__(self, state: WindowState, chat: ChatPane, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._chat = chat
        self._panel = panel
        self._session = SessionId("")
        self._key = _NOT_BEGUN
        self._plan: PlanId | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self.flush)
        chat.composer.edit.textChanged.connect(self._soon.start)
        chat.queue_changed.connect(lambda queue: self._soon.start())
        panel.model.dataChanged.connect(lambda first, last: self._soon.start())
        panel.viewed_changed.connect(self._viewed)

    def flush(self) -> None:
        """Write down what is on screen now."""
        self._soon.stop()
        if self._session:
            key = self._session if self._chat.model.rowCount() else _NOT_BEGUN
            if key != self._key:
                self._state.put_of("drafts", self._key, "")  # the conversation has begun
                self._key = key
            self._state.put_of("drafts", key, self._chat.composer.text)
            self._state.put_of("queues", self._session, list(self._chat.queue))
        page = self._panel.page
        if page is not None and page.version.plan_id == self._plan:
            self._state.put_of("opened", self._plan, sorted(self._panel.model.expanded))
            self._note_looked()

    def show_session(self, session_id: SessionId) -> None:
        """Another conversation is on screen, and `flush` was called before: its draft comes back with it."""
        self._session = session_id
        self._key = session_id if self._chat.model.rowCount() else _NOT_BEGUN
        self._chat.composer.set_draft(self._state.of("drafts", self._key, ""))
        self._chat.set_queue(tuple(self._state.of("queues", session_id, ())))

    def show_plan(self, plan_id: PlanId) -> None:
        """The page of a plan has just been shown."""
        self._panel.set_viewed(tuple(self._state.of("viewed", plan_id, ())))
        if plan_id == self._plan:
            self._note_looked()
            return
        self._plan = plan_id
        self._ask_to_resume(plan_id)
        opened = self._state.of("opened", plan_id)
        if opened is not None:
            for view in self._panel.model.views():
                self._panel.model.set_expanded(OperationId(view.operation.id), view.operation.id in opened)

    def resume(self, plan_id: str, looked: Looked) -> None:
        """What has become of what the person had looked at."""
        self._resuming = False
        if plan_id == self._plan:
            self._panel.resume_looking(looked)
            self._note_looked()

    def leave_plan(self) -> None:
        self.flush()
        self._plan = None

    _resuming = False
    """While it is being found out what changed since the plan was last on screen; nothing is written over that."""

    def _viewed(self, plan_id: str, viewed: tuple[str, ...]) -> None:
        self._state.put_of("viewed", plan_id, list(viewed))
        self._note_looked()

    def _note_looked(self) -> None:
        looked = self._panel.looked
        if looked is not None and self._plan is not None and not self._resuming:
            self._state.put_of("looked", self._plan, looked.model_dump(mode="json"))

    def _ask_to_resume(self, plan_id: PlanId) -> None:
        page = self._panel.page
        try:
            known = Looked.model_validate(self._state.of("looked", plan_id))
        except ValidationError:
            known = None
        self._resuming = False
        if known is not None and page is not None and known.revision <= page.version.revision:
            self._resuming = True
            self.looked_before.emit(plan_id, known)
        else:
            self._note_looked()
