"""A language nobody speaks: every sentence of the catalogue in brackets, so that what was forgotten stands out."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QTranslator

from tandem_desktop.ui.i18n import CONTEXT

LEFT, RIGHT = "⟦", "⟧"


class PseudoLanguage(QTranslator):
    """Answers for every sentence; `asked` are those that were looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str = "", n: int = -1) -> str | None:  # type: ignore[override]
        if context != CONTEXT:
            return None  # not an empty word, which would be a translation
        self.asked.add(source)
        return f"{LEFT}{source}{RIGHT}"


@contextmanager
def pseudo_language() -> Iterator[PseudoLanguage]:
    language = PseudoLanguage()
    QCoreApplication.installTranslator(language)
    try:
        yield language
    finally:
        QCoreApplication.removeTranslator(language)
