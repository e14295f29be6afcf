"""The words of the settings page: most of them stand with the settings themselves, and are translated here."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal, get_args, get_origin

from tandem_desktop.settings.groups import GROUPS, title_of
from tandem_desktop.settings.settings import Settings
from tandem_desktop.ui.words import tr_marked, tr_table

UNITS = tr_table({"hours": " h", "minutes": " min", "days": " days", "bytes": " MiB"})


def title(name: str) -> str:
    return tr_marked(title_of(name))


def explanation(name: str) -> str:
    return tr_marked(_explanation(name))


def choice(value: str) -> str:
    return tr_marked(_choice(value))


def choices(name: str) -> tuple[str, ...]:
    """What can be chosen for a setting; nothing where it is no choice."""
    kind: Any = Settings.model_fields[name].annotation
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    return tuple(each.value for each in kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else ()


def sentences() -> Iterator[str]:
    """Everything of the settings that the page says, in English, for the catalogue."""
    for group, names in GROUPS:
        yield group
        for name in names:
            yield from (title_of(name), _explanation(name), *map(_choice, choices(name)))


def _explanation(name: str) -> str:
    return (Settings.model_fields[name].description or "").replace("`", "")


def _choice(value: str) -> str:
    return value.replace("_", " ").replace("-", " ").capitalize()
