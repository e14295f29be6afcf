"""Greet a person whose run was cut off, and let them decide how it ends."""

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked

_WAYS = (
    ("resume", later("Resume"), later("Go on from where it stopped, with exactly what was approved.")),
    ("rollback", later("Roll back"), later("Put every file back as it was before the run.")),
    ("mark-failed", later("Mark failed"), later("Leave the files as they are now and close the run.")),
)


class InterruptedSheet(Sheet):
    """Three ways out, each with what it means. Escape leaves it for later; no other run can start until then."""

    chosen = Signal(str, str)
    """Run id and `resume`, `resume-again`, `rollback` or `mark-failed`."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "interrupted-sheet", tr("A run was interrupted"))
        self._run_id = RunId("")
        self._run: InterruptedRun | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.warning = plain_label("", "risk", wrap=True)
        self.body.addWidget(self.said)
        self.body.addWidget(self.warning)
        self.again = QCheckBox(tr("Run that command a second time"))
        self.again.setObjectName("interrupted-again")
        self.again.setAccessibleName(self.again.text())
        self.again.toggled.connect(self._may_resume)
        self.body.addWidget(self.again)
        self.buttons: dict[str, Button] = {}
        for way, words, meaning in _WAYS:
            self.body.addWidget(self._way(way, tr_marked(words), tr_marked(meaning)))
        self.later = QuietButton(theme, tr("Decide later"))
        self.later.setObjectName("interrupted-later")
        self.later.clicked.connect(self.leave)
        self.add_buttons(self.later)

    def ask(self, run: InterruptedRun, plan_title: str, now: datetime) -> None:
        self._run_id = run.run_id
        named, unnamed = tr("“{plan}” was interrupted", plan=visible(plan_title)), tr("A run was interrupted")
        self.title.setText(named if plan_title else unnamed)
        self.said.setText(
            tr(
                "Steps {done} of {total} are done, started {since}. Nothing else can run until this is settled.",
                done=f"{run.done:,}",
                total=f"{run.total:,}",
                since=wording.since(run.started_at, now),
            )
        )
        warning = ""
        if run.damage is not None:
            warning = tr(
                "Its journal cannot be read, so it can only be marked as failed. {damage}",
                damage=visible(str(run.damage)),
            )
        elif run.command is not None:
            warning = tr(
                "It was cut off inside the command of {command}. Resuming runs that command a second time, "
                "whatever it did until then.",
                command=run.command,
            )
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning))
        self._run = run
        self.again.setChecked(False)
        self.again.setVisible(run.damage is None and run.command is not None)
        self.open(self.later)
        self._may_resume()
        self.decides(self.buttons["rollback"], run.damage is None)
        self.decides(self.buttons["mark-failed"], True)

    def _way(self, way: str, words: str, meaning: str) -> QWidget:
        theme = self._theme
        frame = QFrame()
        frame.setProperty("role", "card-raised")
        button = self.buttons[way] = Button(theme, words)
        button.setObjectName(f"interrupted-{way}")
        button.setMinimumWidth(theme.px(104))
        button.clicked.connect(lambda: self._choose(way))
        text = QVBoxLayout()
        text.addWidget(plain_label(meaning, wrap=True))
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10))
        layout.setSpacing(theme.px(12))
        layout.addLayout(text, 1)
        layout.addWidget(button)
        return frame

    def _may_resume(self) -> None:
        """A command is run a second time only by somebody who said so."""
        run = self._run
        may = run is not None and run.damage is None and (run.command is None or self.again.isChecked())
        self.decides(self.buttons["resume"], may)

    def _choose(self, way: str) -> None:
        self.shut()
        self.chosen.emit(self._run_id, "resume-again" if way == "resume" and self.again.isChecked() else way)
