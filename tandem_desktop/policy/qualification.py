"""Classifies requests and detects plan signals in answers.

Uses no model, so it is instant and deterministic. It only reports what the text shows: without a risk word the risk is
unknown, not low, and a request it does not understand has no known kind.
"""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum

from tandem_desktop.domain.advice import Complexity, Qualification, RiskLevel, TaskType
from tandem_desktop.domain.patterns import lazy_pattern


def _any_of(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_OPERATIONS = _any_of(
    *("deploy\\w*", "roll ?out", "rollback", "release", "publish", "provision\\w*", "docker\\w*", "kubernetes", "k8s"),
    *("helm", "terraform", "ansible", "nginx", "systemd", "servers?", "cluster", "ci", "pipeline", "staging"),
    *("production", "prod", "infrastructure", "monitoring", "backup", "cron", "dns"),
)
_CODE = _any_of(
    *("refactor\\w*", "implement\\w*", "rewrite", "function", "class", "method", "module", "endpoint", "route", "api"),
    *("bug", "fix\\w*", "tests?", "types?", "rename\\w*", "variable", "parser", "handler", "component", "library"),
    *(
        "dependenc(?:y|ies)",
        "code",
        "compile\\w*",
        "lint\\w*",
        "flag",
        "feature",
        "system",
        "service",
        "schema",
        "query",
    ),
    *("login", "auth\\w*"),
)
_DOCUMENTS = _any_of("readme", "docs?", "documentation", "changelog", "comments?", "typo", "spelling", "wording")
_CHANGING = _any_of(
    *("add", "change", "create", "delete", "remove", "replace", "update", "move", "write", "make", "set", "migrate"),
    *("convert", "split", "merge", "drop", "upgrade", "install", "refactor\\w*", "implement\\w*", "rename\\w*"),
    *("fix\\w*", "deploy\\w*", "release", "rewrite", "run", "restart"),
)
_FAR = _any_of(
    *("refactor\\w*", "rewrite", "redesign", "migrat\\w+", "architecture", "system", "whole", "entire", "everywhere"),
    *("across", "all (?:files|modules|the)", "every (?:file|module|place)", "from scratch", "upgrade"),
)
_HIGH_RISK = _any_of(
    *("production", "prod", "drop (?:the )?(?:table|database)", "truncate", "wipe", "force[- ]push", "rm -rf"),
    *("rewrite history", "credentials?", "secrets?", "(?:private|api|signing|ssh) keys?", "access tokens?"),
    *("payment", "billing", "personal data"),
    *("delete (?:all|every\\w*)",),
)
_SOME_RISK = _any_of(
    *("staging", "database", "migrat\\w+", "auth\\w*", "login", "permission\\w*", "security", "delete", "remove"),
    *("upgrade", "deploy\\w*", "release", "password"),
)
_ASKING = lazy_pattern(
    r"^\W*(?:what|why|how|where|when|which|who|explain|describe|is|are|does|do|did|can|could|should)\b|\?\s*$",
    re.IGNORECASE,
)
_NAME = lazy_pattern(r"[\w.@~-]+(?:/[\w.@~-]+)*")
_PART = lazy_pattern(r"[.;\n]|\b(?:and|then|also|after that)\b", re.IGNORECASE)
_MANY_PARTS, _SOME_PARTS, _MANY_FILES = 5, 3, 6
_LONG = 600


def qualify(request: str, exists: Callable[[str], bool] = lambda path: False) -> Qualification:
    """Qualify a task from its text; `exists` tells whether a name in it is a path of the workspace."""
    named = tuple(dict.fromkeys(name.rstrip(".") for name in _NAME.findall(request) if exists(name.rstrip("."))))
    task_type = _task_type(request)
    complexity, reach = _complexity(request, named)
    risk, stakes = _risk(request)
    mixed = "it touches code and operations" if task_type is TaskType.MIXED else ""
    reasons = tuple(reason for reason in (mixed, reach, stakes) if reason)
    return Qualification(task_type=task_type, complexity=complexity, risk_level=risk, context=named, reasons=reasons)


def _task_type(request: str) -> TaskType | None:
    operations, code = _OPERATIONS.search(request), _CODE.search(request)
    if not _CHANGING.search(request):
        return TaskType.QUESTION if _ASKING.search(request) else None
    if operations and code:
        return TaskType.MIXED
    if operations:
        return TaskType.OPERATIONS
    if code:
        return TaskType.CODE
    return TaskType.DOCUMENTS if _DOCUMENTS.search(request) else None


def _complexity(request: str, named: tuple[str, ...]) -> tuple[Complexity | None, str]:
    parts = sum(1 for part in _PART.split(request) if _CHANGING.search(part))
    far = _found(_FAR, request)
    if far or parts >= _MANY_PARTS or len(named) >= _MANY_FILES:
        why = f"it reaches far: {', '.join(far)}" if far else ""
        return Complexity.COMPLEX, why or (f"{parts} changes in one request" if parts >= _MANY_PARTS else "many files")
    if parts >= _SOME_PARTS or len(request) > _LONG or len(named) > 1:
        return Complexity.MODERATE, ""
    return None, ""


def _risk(request: str) -> tuple[RiskLevel | None, str]:
    if high := _found(_HIGH_RISK, request):
        return RiskLevel.HIGH, f"much is at stake: {', '.join(high)}"
    if some := _found(_SOME_RISK, request):
        return RiskLevel.MEDIUM, f"with care: {', '.join(some)}"
    return None, ""


def _found(pattern: re.Pattern[str], request: str) -> Iterable[str]:
    """The matched words, each once, at most three."""
    return list(dict.fromkeys(match.group().lower() for match in pattern.finditer(request)))[:3]


class PlanSignal(StrEnum):
    """The two signals of a planning agent."""

    PLAN_CREATED = "PLAN_CREATED"
    PLAN_UPDATED = "PLAN_UPDATED"


_SIGNAL = lazy_pattern(r"(?<![A-Za-z0-9_])(PLAN_CREATED|PLAN_UPDATED)(?![A-Za-z0-9_])")
_LONGEST = max(len(signal) for signal in PlanSignal)


class SignalListener:
    """Detects signals in the text of a turn.

    A signal counts when it is a complete word; each is reported once per turn.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._is_cut = False
        self._heard: set[PlanSignal] = set()

    def hear(self, text: str) -> tuple[PlanSignal, ...]:
        """The signals completed by this piece."""
        self._tail += text
        found = self._found(len(self._tail) - 1)
        # Long enough for an incomplete signal and the character before it.
        if len(self._tail) > _LONGEST + 1:
            self._tail = self._tail[-(_LONGEST + 1) :]
            self._is_cut = True
        return found

    def end(self) -> tuple[PlanSignal, ...]:
        """End the turn: a signal at the very end counts, and the state is reset."""
        found = self._found(len(self._tail))
        self._tail, self._is_cut, self._heard = "", False, set()
        return found

    def _found(self, certain: int) -> tuple[PlanSignal, ...]:
        new = []
        for match in _SIGNAL.finditer(self._tail):
            signal = PlanSignal(match[1])
            # At the start of the buffer it was decided earlier, with the character before it.
            decided = self._is_cut and match.start() == 0
            if not decided and match.end() <= certain and signal not in self._heard:
                self._heard.add(signal)
                new.append(signal)
        return tuple(new)
