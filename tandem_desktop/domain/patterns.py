"""Regular expressions that are compiled when they are first used."""

import re
from typing import Any, AnyStr, Generic


class _LazyPattern(Generic[AnyStr]):
    """Stands for a compiled expression. An attribute that was asked for once is found directly from then on."""

    def __init__(self, text: AnyStr, flags: int) -> None:
        self._text: AnyStr = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but later: a call of the command line uses few expressions of the modules that it imports.

    Only for use by its methods: functions of `re` want the compiled expression itself.
    """
    later: Any = _LazyPattern(text, flags)
    return later  # type: ignore[no-any-return]
