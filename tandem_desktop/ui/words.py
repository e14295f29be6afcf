"""Every sentence of the window goes through here, so that it can be said in the person's language.

A sentence is written where it is said, in English, as one whole: `tr("Revision {number}", number=3)`. What is held in
a module's constants or tables is there before the language is known: it is only marked (`later`, `tr_table`) and
translated when it is said (`tr_marked`, or by the table itself). `docs/translating.md` tells how a language is added.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import QCoreApplication

CONTEXT = "Tandem"
"""The one context of the catalogue."""
_Key = TypeVar("_Key")


def tr(text: str, /, **values: object) -> str:
    """The sentence in the person's language, with the values in the places that are named for them."""
    return _filled(QCoreApplication.translate(CONTEXT, text), text, values)


def tr_n(one: str, many: str, n: int, /, **values: object) -> str:
    """The sentence that fits the number: `tr_n("{n} file", "{n} files", count)`. A language may have more forms."""
    own = one if n == 1 else many
    found = QCoreApplication.translate(CONTEXT, many, "", n)
    return _filled(own if found == many else found, own, {"n": f"{n:,}", **values})


def some_of(names: Sequence[str], most: int) -> str:
    """The first few by name, the rest counted: `a.py, b.py and 3 more`."""
    named = ", ".join(names[:most])
    return tr("{names} and {n} more", names=named, n=f"{len(names) - most:,}") if len(names) > most else named


def later(text: str, /) -> str:
    """Mark a sentence that is translated when it is said."""
    return text


def tr_marked(marked: str, /, **values: object) -> str:
    """Say what was marked with `later`; nothing stays nothing."""
    return _filled(QCoreApplication.translate(CONTEXT, marked), marked, values) if marked else ""


class tr_table(Mapping[_Key, str]):  # noqa: N801 - a mark like the others
    """Words by key, translated when they are looked up."""

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
    except (KeyError, IndexError, ValueError):  # a catalogue that names a place we do not know
        return own.format(**values)
