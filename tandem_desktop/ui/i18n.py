"""Translation, language, and formatting of times and encodings.

A sentence is one English literal where it is used: `tr("Revision {number}", number=3)`. Module constants are created
before the language is known: they are only marked (`later`, `tr_table`) and translated when they are used (`tr_marked`,
or by the table itself). `docs/translating.md` says how to add a language.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from tandem_desktop.diff.text import Document
from tandem_desktop.storage.paths import resource

CONTEXT = "Tandem"
"""The only context in the catalogue."""
_Key = TypeVar("_Key")


def tr(text: str, /, **values: object) -> str:
    """Translate a sentence and fill in its placeholders."""
    return _filled(QCoreApplication.translate(CONTEXT, text), text, values)


def tr_n(one: str, many: str, n: int, /, **values: object) -> str:
    """Translate with the plural form for `n`: `tr_n("{n} file", "{n} files", count)`."""
    own = one if n == 1 else many
    found = QCoreApplication.translate(CONTEXT, many, "", n)
    return _filled(own if found == many else found, own, {"n": f"{n:,}", **values})


def some_of(names: Sequence[str], most: int) -> str:
    """The first `most` names and a count of the rest: `a.py, b.py and 3 more`."""
    named = ", ".join(names[:most])
    return tr("{names} and {n} more", names=named, n=f"{len(names) - most:,}") if len(names) > most else named


def later(text: str, /) -> str:
    """Mark a sentence for the catalogue; `tr_marked` translates it."""
    return text


def tr_marked(marked: str, /, **values: object) -> str:
    """Translate a sentence marked with `later`; an empty one stays empty."""
    return _filled(QCoreApplication.translate(CONTEXT, marked), marked, values) if marked else ""


class tr_table(Mapping[_Key, str]):  # noqa: N801 - used like the functions tr and later
    """Texts by key, translated on lookup."""

    def __init__(self, words: Mapping[_Key, str]) -> None:
        self._words = words

    def __getitem__(self, key: _Key) -> str:
        return tr_marked(self._words[key])

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def _filled(sentence: str, own: str, values: Mapping[str, object]) -> str:
    if not values:
        return sentence
    try:
        return sentence.format(**values)
    except (KeyError, IndexError, ValueError):  # a translation with an unknown placeholder
        return own.format(**values)


FOLDER = "translations"
_OWN, _QT = "tandem_{}.qm", "qtbase_{}.qm"
_WRITTEN_IN = ("en", "C")


def speak_the_language(
    application: QCoreApplication, wanted: Sequence[str] | None = None, folder: Path | None = None
) -> str:
    """Install the catalogue of the system's language; returns the language, or an empty string.

    Without a catalogue no translator is installed, which saves a lookup for each sentence.
    """
    try:
        folder = folder or resource(FOLDER)
    except FileNotFoundError:  # no catalogue is packaged
        return ""
    language = first_language(QLocale.system().uiLanguages() if wanted is None else wanted, folder)
    if not language:
        return ""
    _install(application, folder / _OWN.format(language))
    # Qt's own texts, for context menus and dialogs; most exist only without the country.
    qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    for each in (language, language.partition("_")[0]):
        if _install(application, qt / _QT.format(each)):
            break
    return language


def first_language(wanted: Iterable[str], folder: Path) -> str:
    """The first wanted language that has a catalogue; empty if English is wanted before."""
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


def when(moment: datetime, now: datetime) -> str:
    """`14:02`, `yesterday`, `on 3 May`, in local time."""
    local, today = moment.astimezone(), now.astimezone().date()
    days = (today - local.date()).days
    if days <= 0:
        return f"{local:%H:%M}"
    if days == 1:
        return tr("yesterday")
    year = f" {local.year}" if local.year != today.year else ""
    return tr("on {day}", day=f"{local.day} {local:%b}{year}")


_ENCODINGS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16 LE", "utf-16-be": "UTF-16 BE", "latin-1": "Latin-1"}
_ENDINGS = tr_table({"lf": "LF", "crlf": "CRLF", "mixed": "mixed line ends"})


def counted_lines(added: int, removed: int) -> str:
    """`+1,200 −34`; empty where nothing was counted."""
    return " ".join(filter(None, (f"+{added:,}" if added else "", f"−{removed:,}" if removed else "")))


def text_form(content: bytes) -> str:
    """`UTF-8 · LF`, `Latin-1 · CRLF`, `binary`; empty for no content."""
    if not content:
        return ""
    document = Document.of(content)
    if document.is_binary:
        return tr("binary")
    return " · ".join(filter(None, (_ENCODINGS[document.encoding], _ENDINGS.get(document.endings, ""))))
