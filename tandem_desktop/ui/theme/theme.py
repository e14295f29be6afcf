"""Themes: colours, fonts and sizes."""

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.storage.paths import resource

THEMES = ("dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One theme. Every value is `#rrggbb`."""

    scheme: Literal["dark", "light"]
    surface: str
    """Window background."""
    panel: str
    """Background of a pane or card."""
    raised: str
    """Background of elements on a panel: a button, a bubble, an open row."""
    hover: str
    line: str
    """Separators; `line_strong` for the border of a control."""
    line_strong: str
    text: str
    muted: str
    accent: str
    """Filled buttons and tab marks. For text in this colour use `link`, for text on it `accent_text`."""
    accent_hover: str
    accent_text: str
    link: str
    added: str
    """Background of an added line; `_strong` for changed words in it, `_ink` for text and signs."""
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


SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 3.0
UI_FAMILY, CODE_FAMILY = "Inter", "JetBrains Mono"

_UI_PIXELS = 13
_CODE_PIXELS = 12
_UI_FILES = ("Inter-Regular.otf", "Inter-SemiBold.otf", "Inter-Italic.otf")
_CODE_FILES = ("JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf", "JetBrainsMono-Italic.ttf")
_HIGH_CONTRAST = "high-contrast"
_COUNTERPARTS = {
    "dark": "light",
    "light": "dark",
    "colour-blind-dark": "colour-blind-light",
    "colour-blind-light": "colour-blind-dark",
}


class Theme(QObject):
    """The current theme, zoom and fonts. Widgets restyle on `changed` and store no colours."""

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
        """The theme before the system asked for high contrast."""
        self._reduced_motion: bool | None = None
        self._kept: dict[object, Any] = {}
        self._code_face, self._code_pixels, self._ligatures = "", _CODE_PIXELS, False
        _load_faces()
        # Keep references to both: without the first, the second is garbage-collected.
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
        """Whether to skip animations."""
        return _system_wants_stillness() if self._reduced_motion is None else self._reduced_motion

    def color(self, token: str) -> QColor:
        return QColor(getattr(self._tokens, token))

    def ui_font(self, points_delta: float = 0, bold: bool = False) -> QFont:
        """The interface font; `points_delta` in unzoomed pixels: 2 is a heading, -2 is small print."""
        return QFont(self.kept(("ui-font", points_delta, bold), lambda: self._make_ui_font(points_delta, bold)))

    def code_font(self, points_delta: float = 0, bold: bool = False) -> QFont:
        """The code font: the user's choice, or the bundled one."""
        return QFont(self.kept(("code-font", points_delta, bold), lambda: self._make_code_font(points_delta, bold)))

    def px(self, pixels: float) -> int:
        """Pixels at the current zoom, at least one; pass multiples of 4."""
        return max(1, round(pixels * self._zoom)) if pixels > 0 else 0

    def set_theme(self, name: str) -> None:
        """Set a theme and stop following the system.

        Raises:
            BadInputError: there is no theme of this name.
        """
        self._follows_system = False
        self._before_contrast = ""
        self._wear(name)

    def set_code_face(self, family: str, pixels: int = _CODE_PIXELS, *, ligatures: bool = False) -> None:
        """Set the code font; the bundled one if empty or not installed."""
        if (family, pixels, ligatures) != (self._code_face, self._code_pixels, self._ligatures):
            self._code_face, self._code_pixels, self._ligatures = family, pixels, ligatures
            self._announce()

    def set_zoom(self, zoom: float) -> None:
        zoom = _within(zoom)
        if zoom != self._zoom:
            self._zoom = zoom
            self._announce()

    def follow_system(self, follow: bool = True) -> None:
        """Follow the system's dark or light mode, now and on each change.

        A colour-blind theme switches within its pair. High contrast is used while the system asks for it.
        """
        self._follows_system = follow
        self.look_at_system()

    def look_at_system(self) -> None:
        """Apply the system's mode, if it is followed."""
        self._system_changed(QGuiApplication.styleHints().colorScheme())

    def set_reduced_motion(self, reduced: bool | None) -> None:
        """Set the user's choice; `None` follows the system."""
        if reduced != self._reduced_motion:
            self._reduced_motion = reduced
            self._announce()

    def kept(self, key: object, make: Callable[[], Any]) -> Any:
        """Cache the result of `make` until the theme or zoom changes."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def _make_ui_font(self, points_delta: float, bold: bool) -> QFont:
        font = QFont([UI_FAMILY, QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()])
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
    """Disable ligatures: a reviewer must see the actual characters."""
    for feature in ("liga", "calt", "dlig", "clig"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def _load_faces() -> None:
    """Load the fonts once per application; Qt would store them twice."""
    application = QGuiApplication.instance()
    if application is None or application.property("tandem_faces"):
        return
    for name in (*_UI_FILES, *_CODE_FILES):
        QFontDatabase.addApplicationFontFromData(resource(f"fonts/{name}").read_bytes())
    application.setProperty("tandem_faces", True)


def _system_wants_stillness() -> bool:
    """Qt has no API for it, so read what its styles read: the effects setting, then the environment."""
    if os.environ.get("GTK_ENABLE_ANIMATIONS") == "0":
        return True
    hints = QGuiApplication.styleHints()
    return hints.cursorFlashTime() == 0
