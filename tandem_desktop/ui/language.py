"""The language of the window: the system's, where somebody has translated the sentences; English otherwise."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from tandem_desktop.storage.resources import resource

FOLDER = "translations"
_OWN, _QT = "tandem_{}.qm", "qtbase_{}.qm"
_WRITTEN_IN = ("en", "C")


def speak_the_language(
    application: QCoreApplication, wanted: Sequence[str] | None = None, folder: Path | None = None
) -> str:
    """Install the catalogue of the system's language, if there is one; answers with the language, or nothing.

    Without a catalogue nothing is installed at all, so that nothing is asked for each sentence.
    """
    try:
        folder = folder or resource(FOLDER)
    except FileNotFoundError:  # a package without any language
        return ""
    language = first_language(QLocale.system().uiLanguages() if wanted is None else wanted, folder)
    if not language:
        return ""
    _install(application, folder / _OWN.format(language))
    # Qt's own words, in menus of text fields and in dialogs; without the country there are more of them.
    qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    for each in (language, language.partition("_")[0]):
        if _install(application, qt / _QT.format(each)):
            break
    return language


def first_language(wanted: Iterable[str], folder: Path) -> str:
    """The first of the languages a person wants that there is a catalogue for; nothing once English would do."""
    for each in wanted:
        language = each.replace("-", "_")
        if language.partition("_")[0] in _WRITTEN_IN:
            return ""
        if (folder / _OWN.format(language)).is_file():
            return language
    return ""


def _install(application: QCoreApplication, file: Path) -> bool:
    translator = QTranslator(application)
    return file.is_file() and translator.load(str(file)) and application.installTranslator(translator)
