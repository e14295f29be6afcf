"""Themes: colours, fonts and sizes."""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QGuiApplication

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.storage.paths import resource

THEMES = ("dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. Every value is `#rrggbb`."""

    scheme: Literal["dark", "light"]
    surface: str
    """The ground of the window."""
    panel: str
    """The ground of a pane or a card."""
    raised: str
    """What stands above a panel: a button, a bubble, an open row."""
    hover: str
    line: str
    """Edges that only order; `line_strong` where an edge is the control itself."""
    line_strong: str
    text: str
    muted: str
    accent: str
    """A filled button, a tab's mark. For words in this colour use `link`, for words on it `accent_text`."""
    accent_hover: str
    accent_text: str
    link: str
    added: str
    """The ground of an added line; `_strong` under changed words (written in `text`), `_ink` for words and signs."""
    added_strong: str
    added_ink: str
    removed: str
    removed_strong: str
    removed_ink: str
    risk: str
    risk_surface: str
    info_surface: str
    ok: str
    selection: str
    focus: str
    syntax_keyword: str
    syntax_string: str
    syntax_number: str
    syntax_comment: str
    syntax_function: str
    syntax_type: str
    syntax_decorator: str
    syntax_operator: str


def load_tokens(name: str) -> Tokens:
    """The tokens of one bundled theme.

    Raises:
        BadInputError: there is no theme of this name.
    """
    if name not in THEMES:
        raise BadInputError(f"There is no theme called {name}.", next=f"Choose one of {', '.join(THEMES)}.")
    table = tomllib.loads(resource(f"themes/{name}.toml").read_text(encoding="utf-8"))
    return Tokens(scheme=table["scheme"], **table["colors"])


def contrast(ink: str, ground: str) -> float:
    """How far two colours stand apart, from 1 (not at all) to 21 (black on white), as WCAG measures it."""
    darker, lighter = sorted((_luminance(ink), _luminance(ground)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 3.0
CODE_FAMILY = "JetBrains Mono"

_UI_PIXELS = 13
_CODE_PIXELS = 12
_CODE_FILES = ("JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf", "JetBrainsMono-Italic.ttf")
_HIGH_CONTRAST = "high-contrast"
_COUNTERPARTS = {
    "dark": "light",
    "light": "dark",
    "colour-blind-dark": "colour-blind-light",
    "colour-blind-light": "colour-blind-dark",
}


class Theme(QObject):
    """The current look. Widgets repaint or restyle when `changed` is emitted; they keep no colours of their own."""

    changed = Signal()

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        name: str = "dark",
        zoom: float = 1.0,
        wants_contrast: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(parent)
        self._wants_contrast = wants_contrast or self._system_wants_contrast
        self._name = name
        self._tokens = load_tokens(name)
        self._zoom = _within(zoom)
        self._follows_system = False
        self._before_contrast = ""
        """The theme that was worn when the system began to ask for high contrast."""
        self._reduced_motion: bool | None = None
        self._kept: dict[object, Any] = {}
        self._ui_family = _ui_family()
        self._code_face, self._code_pixels, self._ligatures = "", _CODE_PIXELS, False
        _load_code_face()
        # Held, both of them: Python forgets the second as soon as nobody holds the first.
        self._hints = QGuiApplication.styleHints()
        self._accessibility = self._hints.accessibility()
        self._hints.colorSchemeChanged.connect(self._system_changed)
        self._accessibility.contrastPreferenceChanged.connect(self.look_at_system)

    @property
    def name(self) -> str:
        return self._name

    @property
    def tokens(self) -> Tokens:
        return self._tokens

    @property
    def zoom(self) -> float:
        return self._zoom

    @property
    def is_dark(self) -> bool:
        return self._tokens.scheme == "dark"

    @property
    def reduced_motion(self) -> bool:
        """Whether things should simply be in their new place."""
        return _system_wants_stillness() if self._reduced_motion is None else self._reduced_motion

    def color(self, token: str) -> QColor:
        return QColor(getattr(self._tokens, token))

    def ui_font(self, points_delta: float = 0, bold: bool = False) -> QFont:
        """The face of the interface; `points_delta` in unzoomed pixels, so 2 is a heading and -2 is small print."""
        return QFont(self.kept(("ui-font", points_delta, bold), lambda: self._make_ui_font(points_delta, bold)))

    def code_font(self, points_delta: float = 0, bold: bool = False) -> QFont:
        """The face of code: the person's own choice, or the bundled one."""
        return QFont(self.kept(("code-font", points_delta, bold), lambda: self._make_code_font(points_delta, bold)))

    def px(self, pixels: float) -> int:
        """Pixels at the current zoom; hand in multiples of 4. What is there stays at least one pixel."""
        return max(1, round(pixels * self._zoom)) if pixels > 0 else 0

    def set_theme(self, name: str) -> None:
        """Wear one theme and keep it, whatever the system says.

        Raises:
            BadInputError: there is no theme of this name.
        """
        self._follows_system = False
        self._before_contrast = ""
        self._wear(name)

    def set_code_face(self, family: str, pixels: int = _CODE_PIXELS, *, ligatures: bool = False) -> None:
        """Another face for code; empty for the bundled one, which also stands in for a face that is not there."""
        if (family, pixels, ligatures) != (self._code_face, self._code_pixels, self._ligatures):
            self._code_face, self._code_pixels, self._ligatures = family, pixels, ligatures
            self._announce()

    def set_zoom(self, zoom: float) -> None:
        zoom = _within(zoom)
        if zoom != self._zoom:
            self._zoom = zoom
            self._announce()

    def follow_system(self, follow: bool = True) -> None:
        """Be dark when the system is dark and light when it is light, now and whenever that changes.

        A colour-blind theme follows within its pair. Where the system asks for high contrast it is worn, and left again
        when the system no longer asks.
        """
        self._follows_system = follow
        self.look_at_system()

    def look_at_system(self) -> None:
        """Wear what the system wants now, if it is followed."""
        self._system_changed(QGuiApplication.styleHints().colorScheme())

    def set_reduced_motion(self, reduced: bool | None) -> None:
        """A person's own wish; `None` leaves it to the system."""
        if reduced != self._reduced_motion:
            self._reduced_motion = reduced
            self._announce()

    def kept(self, key: object, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once and forgotten when the look changes: for faces and tinted pictures."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _make_ui_font(self, points_delta: float, bold: bool) -> QFont:
        font = QFont(self._ui_family)
        font.setPixelSize(max(6, round((_UI_PIXELS + points_delta) * self._zoom)))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return _letter_by_letter(font)

    def _make_code_font(self, points_delta: float, bold: bool) -> QFont:
        font = QFont([*([self._code_face] if self._code_face else []), CODE_FAMILY, "monospace"])
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setFixedPitch(True)
        font.setPixelSize(max(6, round((self._code_pixels + points_delta) * self._zoom)))
        font.setBold(bold)
        return font if self._ligatures else _letter_by_letter(font)

    def _system_changed(self, scheme: Qt.ColorScheme) -> None:
        if not self._follows_system:
            return
        wanted = {Qt.ColorScheme.Dark: "dark", Qt.ColorScheme.Light: "light"}.get(scheme)
        if self._wants_contrast():
            self._before_contrast = self._before_contrast or self._name
            self._wear(_HIGH_CONTRAST)
        elif self._before_contrast:
            self._wear(self._before_contrast)
            self._before_contrast = ""
        if self._name != _HIGH_CONTRAST and wanted and wanted != self._tokens.scheme:
            self._wear(_COUNTERPARTS.get(self._name, self._name))

    def _system_wants_contrast(self) -> bool:
        return self._accessibility.contrastPreference() is Qt.ContrastPreference.HighContrast

    def _wear(self, name: str) -> None:
        if name != self._name:
            self._tokens = load_tokens(name)
            self._name = name
            self._announce()

    def _announce(self) -> None:
        self._kept.clear()
        self.changed.emit()


def _within(zoom: float) -> float:
    return min(LARGEST_ZOOM, max(SMALLEST_ZOOM, round(zoom, 2)))


def _letter_by_letter(font: QFont) -> QFont:
    """No ligatures: a reviewer must see the characters that are there, also where a name or a sentence quotes them."""
    for feature in ("liga", "calt", "dlig", "clig"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def _ui_family() -> str:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    return "Inter" if QFontInfo(QFont("Inter")).family() == "Inter" else system


def _load_code_face() -> None:
    """Once for each application: a face loaded twice is held twice."""
    application = QGuiApplication.instance()
    if application is None or application.property("tandem_code_face"):
        return
    for name in _CODE_FILES:
        QFontDatabase.addApplicationFontFromData(resource(f"fonts/{name}").read_bytes())
    application.setProperty("tandem_code_face", True)


def _system_wants_stillness() -> bool:
    """Qt tells it only through its styles, so look where Qt looks: the effects setting, then the environment."""
    if os.environ.get("GTK_ENABLE_ANIMATIONS") == "0":
        return True
    hints = QGuiApplication.styleHints()
    return hints.cursorFlashTime() == 0
