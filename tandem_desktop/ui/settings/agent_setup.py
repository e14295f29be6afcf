"""The sheets that set up agents: the model of the built-in one, and those a person adds by their command."""

import contextlib
import re
import shlex
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.acp_client.own_agents import (
    name_from_title,
    own_profiles,
    profile_of_command,
    remove_profile,
    unreadable_profiles,
)
from tandem_desktop.acp_client.profiles import BUILT_IN, CUSTOM, custom_profile, find_agent
from tandem_desktop.builtin_agent.model_keys import (
    KEYRING_SERVICE,
    has_keyring,
    key_name,
    keys_file,
    read_key,
    save_key,
)
from tandem_desktop.builtin_agent.models import ModelProvider, model_providers, provider_of
from tandem_desktop.diff.text import visible_in_a_line, visible_sentence
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.sessions.launch import ModelAnswer, keep_agent, list_models, try_model
from tandem_desktop.settings import Settings
from tandem_desktop.settings_io import load_settings, save_setting
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.plan_text import error_words
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands, DaemonPool
from tandem_desktop.ui.widgets.buttons import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.decision_guard import WheelGuard
from tandem_desktop.ui.widgets.labels import announce, plain_label

_WIDE = 560
_LIST = 200
"""The greatest height of the list of a person's agents."""
_QUIET_MS = 600
"""How long nothing is typed before the provider is asked for its models."""


class ModelSheet(Sheet):
    """Provider, address, key and model of the built-in agent. The provider is asked on a thread of its own."""

    chosen = Signal(object)
    """The `Settings` with the model; its key is kept."""

    def __init__(self, host: QWidget, theme: Theme, config: Path) -> None:
        super().__init__(host, theme, "model-sheet", tr("Model of the built-in agent"), wide=_WIDE)
        self._config = config
        self._offered = model_providers()
        self._pool = DaemonPool(2, thread_name_prefix="model")
        self._answers = Commands(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self.fetch)
        self.provider = QComboBox()
        for each in self._offered:
            self.provider.addItem(each.title)
        self.provider.activated.connect(lambda _at: self._provider_chosen())
        WheelGuard(self.provider)
        self.address, self.key = QLineEdit(), QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        for line in (self.address, self.key):
            line.textEdited.connect(lambda _text: self._edited())
        self.model = QComboBox()
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        if (typed := self.model.lineEdit()) is not None:
            typed.setPlaceholderText(tr("Choose or type its name"))
        self.model.editTextChanged.connect(lambda _text: self._follow())
        WheelGuard(self.model)
        self.again = QuietButton(theme, tr("Fetch the list"))
        self.again.setObjectName("model-fetch")
        self.again.clicked.connect(self.fetch)
        self._said = plain_label("", "muted", wrap=True)
        self._said.setObjectName("model-said")
        self._kept = plain_label("", "small", wrap=True)
        self._lay_out()
        self.test = Button(theme, tr("Test"))
        self.test.setObjectName("model-test")
        self.test.clicked.connect(self._try)
        self.back = QuietButton(theme, tr("Cancel"), "Esc")
        self.back.setObjectName("model-back")
        self.back.clicked.connect(self.leave)
        self.use = PrimaryButton(theme, tr("Use this model"))
        self.use.setObjectName("model-use")
        self.use.clicked.connect(self._use)
        self.add_buttons(self.test, self.back, self.use)

    def show_model(self, *, sends: bool) -> None:
        """Open with what the settings name; `sends` says that a message waits for the model."""
        self.use.setText(tr("Use and send again") if sends else tr("Use this model"))
        try:
            settings = load_settings(self._config).settings
        except TandemError as error:
            settings = Settings()
            self._say(error_words(error), "risk")
        model = settings.models.get(BUILT_IN, "")
        provider = provider_of(model, settings.model_address)
        self.provider.setCurrentIndex(self._offered.index(provider))
        self._provider_chosen(settings.model_address or provider.address)
        self.model.setEditText(model.partition(":")[2])
        self.open(self.provider)

    @property
    def _provider(self) -> ModelProvider:
        return self._offered[self.provider.currentIndex()]

    @property
    def _address(self) -> str:
        return self._provider.kept_address(self.address.text())

    def _lay_out(self) -> None:
        words = tr("With a model it takes requests in your own words. The key goes to this provider only.")
        self.body.addWidget(plain_label(words, "muted", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(self._theme.px(12))
        grid.setVerticalSpacing(self._theme.px(10))
        beside = QHBoxLayout()
        beside.setSpacing(self._theme.px(8))
        beside.addWidget(self.model, 1)
        beside.addWidget(self.again)
        named: tuple[tuple[str, str, QWidget], ...] = (
            ("provider", tr("Provider"), self.provider),
            ("address", tr("Address"), self.address),
            ("key", tr("Key"), self.key),
            ("name", tr("Model"), self.model),
        )
        for row, (name, title, control) in enumerate(named):
            control.setObjectName(f"model-{name}")
            control.setAccessibleName(title)
            grid.addWidget(plain_label(title), row * 2, 0, Qt.AlignmentFlag.AlignVCenter)
            if control is self.model:
                grid.addLayout(beside, row * 2, 1)
            else:
                grid.addWidget(control, row * 2, 1)
        grid.addWidget(self._kept, 5, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        self._said.setMinimumHeight(self._said.fontMetrics().lineSpacing() * 3)  # an answer moves no button
        self._said.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.body.addWidget(self._said)

    def _provider_chosen(self, address: str | None = None) -> None:
        self.address.setText(self._provider.address if address is None else address)
        self.key.clear()
        self.model.clear()
        self._say("", "muted")
        self._edited()

    def _edited(self) -> None:
        """The address or the key changed: what is kept for it is another, and so are its models."""
        self._follow()
        looked = self._pool.submit(_look_up, key_name(self._provider.kind, self._address))
        self._answers.latest("key", looked, self._know_key)

    def _know_key(self, found: tuple[bool, bool]) -> None:
        is_kept, has_keyring = found
        provider = self._provider
        hint = tr("Kept; type another to replace it") if is_kept else tr("Paste it here")
        self.key.setPlaceholderText(hint if provider.needs_key or is_kept else tr("Not needed by most"))
        in_file = tr("There is no keyring here: kept in {file}, readable by you only.", file=from_home(keys_file()))
        self._kept.setText(tr("Kept in the keyring of your desktop.") if has_keyring else in_file)
        if self.address.text().strip() and (self.key.text() or is_kept or not provider.needs_key):
            self._quiet.start()

    def _follow(self) -> None:
        is_whole = bool(self.model.currentText().strip() and self.address.text().strip())
        self.test.setEnabled(is_whole)
        self.use.setEnabled(is_whole)
        self.again.setEnabled(bool(self.address.text().strip()))

    def fetch(self) -> None:
        """Ask the provider for its models."""
        self._quiet.stop()
        self._say(tr("Asking {provider} for its models…", provider=self.address.text().strip()), "muted")
        asked = self._pool.submit(list_models, self._provider.kind, self._address, self.key.text().strip())
        self._run("list", asked, self._listed)

    def _listed(self, found: ModelAnswer) -> None:
        if found.problem:
            self._say(f"{found.problem} {found.next}", "risk")
            return
        typed = self.model.currentText()
        self.model.clear()
        self.model.addItems(found.models)
        self.model.setEditText(typed or (found.models[0] if found.models else ""))
        self._say(tr_n("{n} model offered.", "{n} models offered.", len(found.models)), "muted")

    def _try(self) -> None:
        self._quiet.stop()
        if self.test.hasFocus() or QApplication.focusWidget() is None:
            self.use.setFocus()
        self.test.setEnabled(False)
        self._say(tr("Asking {model} for one word…", model=self.model.currentText().strip()), "muted")
        self._run("test", self._pool.submit(try_model, self._model(), self._address, self._typed_key()), self._tried)

    def _tried(self, found: ModelAnswer) -> None:
        self._follow()
        if found.problem:
            self._say(f"{found.problem} {found.next}", "risk")
            return
        answer = " ".join(found.answer.split())
        self._say(tr("It works: “{answer}” after {seconds} s.", answer=answer, seconds=f"{found.seconds:.1f}"), "ok")

    def _use(self) -> None:
        self._quiet.stop()
        keeping = self._pool.submit(_keep, self._config, self._model(), self._address, self._typed_key())
        self._answers.run(keeping, self._done, self._refuse)

    def _done(self, settings: Settings) -> None:
        self.shut()
        self.chosen.emit(settings)

    def _refuse(self, error: TandemError) -> None:
        self._follow()
        self._say(error_words(error), "risk")

    def _model(self) -> str:
        return f"{self._provider.kind}:{self.model.currentText().strip()}"

    def _typed_key(self) -> str:
        return self.key.text().strip()

    def _run(self, name: str, future: "Future[ModelAnswer]", done: Callable[[ModelAnswer], None]) -> None:
        self._answers.latest(name, future, done, self._refuse)

    def _say(self, words: str, role: str) -> None:
        set_role(self._said, role)
        self._said.setText(words)
        if words:
            announce(self, words)


class OwnAgentsSheet(Sheet):
    """Adds agents by their command, and lists those a person added."""

    changed = Signal(object)
    """One was added or removed; the `Settings`, which may name a command too."""

    def __init__(self, host: QWidget, theme: Theme, config: Path) -> None:
        super().__init__(host, theme, "own-agents-sheet", tr("Your agents"), wide=_WIDE)
        self._config = config
        words = tr(
            "Any agent that speaks the Agent Client Protocol (ACP) on its standard input and output. "
            "It works in the same sandbox as the others."
        )
        self.body.addWidget(plain_label(words, "muted", wrap=True))
        page = QWidget()
        page.setProperty("role", "clear")
        self._list = QVBoxLayout(page)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(theme.px(6))
        self._scroll = QScrollArea()
        self._scroll.setObjectName("own-agents-list")
        self._scroll.setAccessibleName(tr("Your agents"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setProperty("role", "clear")
        self._scroll.setWidget(page)
        self.body.addWidget(self._scroll)
        self.agent_title, self.command, self.variables, self.files = (QLineEdit() for _ in range(4))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(12))
        grid.setVerticalSpacing(theme.px(10))
        named: tuple[tuple[str, str, QLineEdit, str], ...] = (
            ("command", tr("Command"), self.command, tr("my-agent --acp")),
            ("title", tr("Name"), self.agent_title, tr("the name of its program")),
            ("variables", tr("Variables it may see"), self.variables, tr("none; for example MY_AGENT_API_KEY")),
            ("files", tr("Files of its log-in"), self.files, tr("none; for example .config/my-agent/auth.json")),
        )
        for row, (name, words, line, hint) in enumerate(named):
            line.setObjectName(f"own-agent-{name}")
            line.setAccessibleName(words)
            line.setPlaceholderText(hint)
            line.returnPressed.connect(self._add)
            grid.addWidget(plain_label(words), row, 0, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(line, row, 1)
        grid.setColumnStretch(1, 1)
        self.body.addLayout(grid)
        self._said = plain_label("", "muted", wrap=True)
        self._said.setObjectName("own-agent-said")
        self._said.setMinimumHeight(self._said.fontMetrics().lineSpacing() * 2)  # an answer moves no button
        self.body.addWidget(self._said)
        back = QuietButton(theme, tr("Close"), "Esc")
        back.setObjectName("own-agents-close")
        back.clicked.connect(self.leave)
        self.add = PrimaryButton(theme, tr("Add"))
        self.add.setObjectName("own-agent-add")
        self.add.clicked.connect(self._add)
        self.command.textChanged.connect(lambda text: self.add.setEnabled(bool(text.strip())))
        self.add_buttons(back, self.add)

    def show_agents(self) -> None:
        """Open with the agents that were added."""
        for line in (self.agent_title, self.command, self.variables, self.files):
            line.clear()
        self.add.setEnabled(False)
        self._say("", "muted")
        self._fill()
        self.open(self.command)

    def _fill(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        rows: list[QWidget] = [self._row(profile) for profile in own_profiles()]
        rows += [plain_label(error_words(error), "risk", wrap=True) for error in unreadable_profiles()]
        if command := self._settings().agent_command:
            with contextlib.suppress(TandemError):
                rows.append(self._row(custom_profile(command)))
        for row in rows:
            self._list.addWidget(row)
            row.show()  # what is hidden has no height yet
        self._scroll.setVisible(bool(rows))
        self._scroll.setFixedHeight(min(self._list.sizeHint().height(), self._theme.px(_LIST)))
        self.fit()

    def _settings(self) -> Settings:
        try:
            return load_settings(self._config).settings
        except TandemError as error:
            self._say(error_words(error), "risk")
            return Settings()

    def _row(self, profile: AgentProfile) -> QWidget:
        remove = Button(self._theme, tr("Remove"))
        remove.setObjectName(f"own-agent-remove-{profile.name}")
        remove.setAccessibleName(tr("Remove {agent}", agent=profile.title))
        remove.set_compact()
        remove.clicked.connect(lambda: self._remove(profile))
        frame = QFrame()
        frame.setObjectName(f"own-agent-{profile.name}")
        frame.setProperty("role", "card")
        row = QHBoxLayout(frame)
        px = self._theme.px
        row.setContentsMargins(px(12), px(6), px(8), px(6))
        row.setSpacing(px(12))
        row.addWidget(plain_label(visible_sentence(profile.title), "heading"))
        row.addWidget(plain_label(visible_in_a_line(shlex.join(profile.command)), "code-muted", wrap=True), 1)
        if find_agent(profile, ask_version=False).path is None:
            row.addWidget(plain_label(tr("not found"), "risk"))
        row.addWidget(remove)
        return frame

    def _add(self) -> None:
        if not self.command.text().strip():
            return
        try:
            command = custom_profile(self.command.text().strip())
            title = self.agent_title.text().strip() or command.title
            name = name_from_title(title) or "agent"
            given = {"env": _parts(self.variables), "credentials": _parts(self.files)}
            profile = profile_of_command(name, command.command, title=title, **given)
            keep_agent(profile)
        except TandemError as error:
            self._say(error_words(error), "risk")
            announce(self, error.message, urgent=True)
            return
        for line in (self.agent_title, self.command, self.variables, self.files):
            line.clear()
        self.command.setFocus()
        if find_agent(profile, ask_version=False).path is not None:
            self._say(tr("{agent} is added. It is in the menu of agents.", agent=title), "ok")
        else:
            program = command.command[0]
            self._say(tr("{agent} is added; {program} was not found.", agent=title, program=program), "risk")
        self._follow()

    def _remove(self, profile: AgentProfile) -> None:
        try:
            if profile.name == CUSTOM:
                save_setting(self._config, "agent_command", "")
            else:
                remove_profile(profile.name)
        except TandemError as error:
            self._say(error_words(error), "risk")
            return
        self.command.setFocus()
        self._say(tr("{agent} is removed. Its plans stay.", agent=visible_sentence(profile.title)), "muted")
        self._follow()

    def _follow(self) -> None:
        self._fill()
        self.changed.emit(self._settings())

    def _say(self, words: str, role: str) -> None:
        set_role(self._said, role)
        self._said.setText(words)
        if words:
            announce(self, words)


def _parts(line: QLineEdit) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[,\s]+", line.text()) if part)


def _look_up(name: str) -> tuple[bool, bool]:
    """Whether a key of this name is kept, and whether there is a keyring. Blocks: a keyring may be locked."""
    return bool(read_key(KEYRING_SERVICE, name)), has_keyring()


def _keep(config: Path, model: str, address: str, key: str) -> Settings:
    """Keep the key, then the model in the settings. Blocks likewise."""
    if key:
        save_key(key_name(model.partition(":")[0], address), key)
    models = load_settings(config).settings.models
    save_setting(config, "model_address", address)
    return save_setting(config, "models", {**models, BUILT_IN: model})
