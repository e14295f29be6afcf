"""The commit sheet."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QWidget

from tandem_desktop.diff.text import visible, visible_name
from tandem_desktop.services.commits import CommitPreview, CommitWish
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.theme.style import icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.inputs import PlainTextEdit
from tandem_desktop.ui.widgets.labels import plain_label

_HERE, _NEW = "here", "new"
_MOST_ROWS = 8


class CommitSheet(Sheet):
    """Message, branch, hooks, and every path of the commit."""

    confirmed = Signal(object, object, bool)
    """The `CommitPreview` that was on screen, the `CommitWish`, and whether to push."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "commit-sheet", tr("Commit this run"))
        self._preview: CommitPreview | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.message = PlainTextEdit()
        self.message.setObjectName("commit-message")
        self.message.setAccessibleName(tr("Message"))
        self.message.setPlaceholderText(tr("What does this commit do?"))
        self.message.setTabChangesFocus(True)
        self.message.setFixedHeight(theme.px(76))
        self.message.sent.connect(self._confirm)
        self.message.left.connect(self.leave)
        self.message.textChanged.connect(self._may_commit)
        self.place = Segmented(theme, ((_HERE, tr("This branch")), (_NEW, tr("New branch"))), tr("Branch"))
        self.place.chosen.connect(lambda _key: self._choose_place())
        self.branch = QLineEdit()
        self.branch.setObjectName("commit-branch")
        self.branch.setAccessibleName(tr("Name of the new branch"))
        self.branch.setPlaceholderText(tr("Name of the new branch"))
        self.branch.textChanged.connect(self._may_commit)
        where = QWidget()
        row = QHBoxLayout(where)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(self.place)
        row.addWidget(self.branch, 1)
        row.addStretch(0)
        self.files = QListWidget()
        self.files.setObjectName("commit-files")
        self.files.setAccessibleName(tr("Paths of this commit"))
        self.files.setUniformItemSizes(True)
        self.files.setFont(theme.code_font())
        self.files.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.whole = self._check("commit-whole", tr("Take files with your own uncommitted changes whole"))
        self.hooks = self._check("commit-hooks", tr("Run your hooks"))
        self.sign = self._check("commit-sign", tr("Sign it"))
        self.push = self._check("commit-push", tr("Push afterwards"))
        for widget in (self.said, self.message, where, self.files, self.whole, self.hooks, self.sign, self.push):
            self.body.addWidget(widget)
        self.whole.toggled.connect(self._may_commit)
        self.back = QuietButton(theme, tr("Not now"))
        self.back.setObjectName("commit-back")
        self.back.clicked.connect(self.leave)
        self.commit = PrimaryButton(theme, tr("Commit"), "Ctrl+⏎")
        self.commit.setObjectName("commit-confirm")
        self.commit.clicked.connect(self._confirm)
        self.add_buttons(self.back, self.commit)

    def ask(self, found: CommitPreview) -> None:
        """Show exactly what would be committed."""
        self._preview = found
        count = tr_n("{n} path", "{n} paths", len(found.paths))
        branch = visible_name(found.branch) if found.branch else tr("a detached HEAD")
        self.said.setText(
            tr("{count} on top of {branch}. Your other changes stay as they are.", count=count, branch=branch)
        )
        self.message.setPlainText(found.message)
        self.place.set_current(_HERE)
        self.branch.clear()
        self._list(found)
        self.whole.setChecked(False)
        self.whole.setText(
            tr_n(
                "Take {n} file with your own uncommitted changes whole",
                "Take {n} files with your own uncommitted changes whole",
                len(found.own),
            )
        )
        self.hooks.setText(tr("Run your hooks: {names}", names=", ".join(found.hooks)))
        self.push.setText(tr("Push to {remote}", remote=visible_name(found.remote or "")))
        for box, is_offered, is_on in (
            (self.whole, bool(found.own), False),
            (self.hooks, bool(found.hooks), True),
            (self.sign, found.signs, True),
            (self.push, found.remote is not None, False),
        ):
            box.setVisible(is_offered)
            box.setChecked(is_on)
            box.setAccessibleName(box.text())
        self._choose_place()
        self.open(self.message)
        self.message.selectAll()

    def _check(self, name: str, words: str) -> QCheckBox:
        box = QCheckBox(words)
        box.setObjectName(name)
        box.setAccessibleName(words)
        return box

    def _list(self, found: CommitPreview) -> None:
        self.files.clear()
        for path in found.paths:
            only = f"  {tr('only what the run changed')}" if path in found.merged else ""
            self._add("check", "muted", f"{visible_name(path)}{only}")
        for path in found.own:
            self._add("warning", "risk", f"{visible_name(path)}  {tr('has uncommitted changes of yours')}")
        for path, reason in found.left_out:
            self._add("info", "muted", f"{visible_name(path)}  {tr('not committed: {reason}', reason=visible(reason))}")
        rows = min(_MOST_ROWS, max(1, self.files.count()))
        self.files.setFixedHeight(rows * max(self._theme.px(20), self.files.sizeHintForRow(0)) + self._theme.px(8))

    def _add(self, sign: str, token: str, words: str) -> None:
        self.files.addItem(QListWidgetItem(icon(self._theme, sign, token), words))

    def _choose_place(self) -> None:
        is_new = self.place.current == _NEW
        self.branch.setVisible(is_new)
        if is_new:
            self.branch.setFocus()
        self._may_commit()
        self.fit()

    def _may_commit(self) -> None:
        found = self._preview
        is_named = self.place.current == _HERE or bool(self.branch.text().strip())
        is_whole = found is not None and (not found.own or self.whole.isChecked())
        self.guard.decides(self.commit, is_named and is_whole and bool(self.message.toPlainText().strip()))

    def _confirm(self) -> None:
        found = self._preview
        if found is None or not self.guard.is_ready or not self.commit.isEnabled():
            return
        self.shut()
        is_new = self.place.current == _NEW
        wish = CommitWish(
            message=self.message.toPlainText().strip(),
            branch=self.branch.text().strip() if is_new else None,
            whole=self.whole.isChecked(),
            hooks=self.hooks.isChecked(),
            sign=self.sign.isChecked(),
        )
        self.confirmed.emit(found, wish, self.push.isChecked() and found.remote is not None)
