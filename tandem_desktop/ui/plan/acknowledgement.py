"""One flagged operation in the approval sheet: what it is, in full, and a box that says it was read."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QVBoxLayout

from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import rehearsal_words, wording
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class Acknowledgement(QFrame):
    """A card with a box to tick. Commands stand in it in full, whatever their length."""

    ticked = Signal(bool)
    show_requested = Signal(object)

    def __init__(self, view: OperationView, theme: Theme, workspace: str, beside: str = "") -> None:
        super().__init__()
        operation = view.operation
        self.operation_id = operation.id
        self.flags = tuple(flag.value for flag in view.flags)
        self.setProperty("role", "card-risk" if view.flags else "card-raised")
        self.setObjectName(f"acknowledgement-{operation.id}")
        self.box = QCheckBox()
        title = _title(view)
        self.box.setObjectName(f"acknowledge-{operation.id}")
        self.box.setAccessibleName(f"{title}: {wording.title(operation)}")
        self.box.toggled.connect(self.ticked)
        if not view.flags:
            self.box.hide()
        heading = plain_label(title, "heading", wrap=True)
        link = LinkButton(theme, tr("Show"), "text")
        link.setObjectName(f"show-{operation.id}")
        link.setAccessibleName(tr("Show {title}", title=wording.title(operation)))
        link.clicked.connect(lambda: self.show_requested.emit(operation.id))

        head = QHBoxLayout()
        head.addWidget(heading, 1)
        head.addWidget(link, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(theme.px(4))
        words.addLayout(head)
        if operation.call is not None:
            command = plain_label("\n".join(wording.visible_lines(operation.call.command)), "code", wrap=True)
            command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            words.addWidget(command)
            for name, value in operation.call.env:
                given = tr("with {name}={value}", name=visible(name), value=visible(value))
                words.addWidget(plain_label(given, "code-muted", wrap=True))
            conditions = wording.command_conditions(operation, workspace)
            words.addWidget(plain_label(tr("Will really run {where}", where=conditions), "muted", wrap=True))
            if beside:
                words.addWidget(plain_label(beside, "muted", wrap=True))
        else:
            words.addWidget(plain_label(wording.title(operation), "code", wrap=True))
            if operation.recorded_from:
                words.addWidget(plain_label(rehearsal_words.recorded_effect(operation), "muted", wrap=True))
            for flag in view.flags:
                words.addWidget(plain_label(wording.flag_explanation(flag), "muted", wrap=True))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(10), theme.px(8), theme.px(12), theme.px(8))
        layout.setSpacing(theme.px(8))
        layout.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)


def _title(view: OperationView) -> str:
    operation = view.operation
    if not view.flags:
        return tr("Command, its changes in the workspace can be undone")
    if operation.call is not None and Hazard.IRREVERSIBLE in view.flags:
        others: list[Hazard] = [each for each in view.flags if each not in (Hazard.IRREVERSIBLE, Hazard.RUNS_CODE)]
        first = wording.flag_sentence(Hazard.IRREVERSIBLE, operation)
    else:
        first, others = wording.flag_sentence(view.flags[0], operation), list(view.flags[1:])
    return " · ".join((first, *(wording.flag_sentence(each, operation).lower() for each in others)))
