"""Authorization rules and how they combine to one answer.

Rules run by ascending priority, and any denial is final whatever its priority:

90 only look · 100 plan mode · 110 plan scope · 120 guarded tools · 130 the person's own rules · 140 the shadow
200 read-only · 205 planning · 300 yolo · 310 ignore list

In Plan mode a use on which every rule is silent is held for the plan: the review is the question.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from tandem_desktop.domain.authorization import (
    AuthContext,
    AuthorizationResult,
    AuthorizationRule,
    PermissionRule,
    SessionPermissions,
    ToolCategory,
    ToolUse,
)
from tandem_desktop.domain.errors import OutsideWorkspaceError, ToolDeniedError
from tandem_desktop.domain.paths import check_path, folded
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.policy.tools import EXIT_PLAN_MODE
from tandem_desktop.settings import Settings

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


_JOINTS = lazy_pattern(r"\|\||&&|[;|&\n(){}`]|\$\(")
_MORE_THAN_ONE_COMMAND = lazy_pattern(r"[;|&\n\r`$<>(){}\\]")
_ANY = "*"
_KINDS = {category.value: category for category in (ToolCategory.READ, ToolCategory.WRITE, ToolCategory.EXECUTE)}


def matches(rule: PermissionRule, use: ToolUse) -> bool:
    """True if every pattern of `rule` matches `use`.

    An allowing rule must match the whole use: all of its paths, inside the workspace, and one plain command. A denying
    or asking one matches if any path, or any part of a joined command, does.
    """
    if not _names_it(rule.tool, use):
        return False
    if rule.answer == "allow":
        return not use.disguised and _allows_paths(rule.path, use) and _allows_command(rule.command, use)
    return _touches(rule.path, use) and _runs(rule.command, use)


def _names_it(pattern: str, use: ToolUse) -> bool:
    wanted = pattern.lower()
    return _KINDS.get(wanted) is use.category or any(fnmatchcase(name, wanted) for name in use.names)


def _allows_paths(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    inside = [_inside(path) for path in use.paths]
    return bool(inside) and all(path is not None and _spec(pattern).match_file(path) for path in inside)


def _touches(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    spec = _spec(folded(pattern))
    return any(spec.match_file(folded(path).removeprefix("./")) for path in use.paths)


def _allows_command(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    if use.command is None or _MORE_THAN_ONE_COMMAND.search(use.command):
        return False
    return fnmatchcase(use.command.strip(), pattern)


def _runs(pattern: str | None, use: ToolUse) -> bool:
    if pattern is None:
        return True
    if use.command is None:
        return False
    parts = (use.command, *_JOINTS.split(use.command))
    wanted = " ".join(pattern.split())
    return any(fnmatchcase(" ".join(part.split()), wanted) for part in parts)


def _inside(path: str) -> str | None:
    try:
        return check_path(path)
    except OutsideWorkspaceError:
        return None


@lru_cache(maxsize=256)
def _spec(pattern: str) -> "GitIgnoreSpec":
    # Needed only where a rule names paths, and slow to load.
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines([pattern])


class OnlyLookRule:
    """Advisors may only read and submit their answer."""

    priority: ClassVar[int] = 90

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        if not context.only_look:
            return None
        looks = use.category in (ToolCategory.READ, ToolCategory.PLANNING)
        return None if looks else AuthorizationResult.DENY

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return (
            f"'{use.tool}' is not available: you were asked for advice, so you may read files and hand in your answer. "
            "Say in the answer what should be changed."
        )


class PlanModeBlockRule:
    """In plan mode, block what cannot be staged.

    Writing and running are blocked outright (the blocked set is write and execute, and bash is blocked fully) unless
    they land in a shadow, from where they reach the workspace only as operations of an approved plan. An agent may
    leave a plan mode of its own, and enter none: Tandem's Plan mode is the shadow.
    """

    priority: ClassVar[int] = 100

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        if not context.plan_mode:
            return None
        if use.category is ToolCategory.MODE:
            leaves = use.name == EXIT_PLAN_MODE
            return AuthorizationResult.ALLOW if leaves and not context.only_look else AuthorizationResult.DENY
        if not context.shadowed and use.category in (ToolCategory.WRITE, ToolCategory.EXECUTE):
            return AuthorizationResult.DENY
        return None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        if use.name == EXIT_PLAN_MODE:
            return "The plan is with the person. Go on: what you change is staged for review."
        if use.category is ToolCategory.MODE:
            return f"'{use.tool}' is not needed: you are in Plan mode, and what you change is staged for review. Go on."
        return (
            f"'{use.tool}' is not available in Plan mode. Describe what it should do as a step of your plan, and use "
            "present_plan or plan_propose when you are ready."
        )


class PlanScopeRule:
    """While a plan is worked on, allow only the tools it lists."""

    priority: ClassVar[int] = 110

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        if context.plan_scope is None or use.category is ToolCategory.PLANNING:
            return None
        listed = {name.lower() for name in context.plan_scope}
        return None if use.names & listed and not use.disguised else AuthorizationResult.DENY

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return f"Tool not available in plan scope. Only [{', '.join(context.plan_scope or ())}] are available."


class GuardedToolsRule:
    """A guarded tool may only be used through a plan.

    In plan mode it becomes part of the plan, as an operation or as an external call, which is what the guard asks for.
    """

    priority: ClassVar[int] = 120

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        if not context.guarded_tools or not context.guard_blocks or not is_guarded(use, context):
            return None
        held = use.external or context.shadowed
        return None if context.plan_mode and held else AuthorizationResult.DENY

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return f"'{use.tool}' is guarded: it may only be used through a plan. Propose one with plan_propose."


class ShadowRule:
    """In plan mode, what stays in the shadow needs no question: the review of the plan is the question."""

    priority: ClassVar[int] = 140

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        stays = context.plan_mode and context.shadowed and not use.external
        return AuthorizationResult.ALLOW if stays else None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return "It stays in the shadow until the plan is approved."


class PatternRule:
    """The person's rules from the settings: deny before ask, ask before allow."""

    priority: ClassVar[int] = 130

    _ANSWERS: ClassVar = {
        "deny": AuthorizationResult.DENY,
        "ask": AuthorizationResult.CONFIRM,
        "allow": AuthorizationResult.ALLOW,
    }

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        if not context.rules:
            return None
        # What has effects outside is allowed in plan mode only by a rule that names the tool.
        must_name = context.plan_mode and use.external
        given = {
            rule.answer
            for rule in context.rules
            if matches(rule, use) and not (must_name and rule.answer == "allow" and rule.tool == _ANY)
        }
        return next((result for answer, result in self._ANSWERS.items() if answer in given), None)

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return f"A rule in the person's settings decides on this use of '{use.tool}'."


class ReadOnlyToolRule:
    """Reading is allowed."""

    priority: ClassVar[int] = 200

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        reads = use.category is ToolCategory.READ and not (context.plan_mode and use.external)
        return AuthorizationResult.ALLOW if reads else None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return "It only reads."


class PlanningToolRule:
    """Planning tools are allowed in any mode: they change only the plan."""

    priority: ClassVar[int] = 205

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        return AuthorizationResult.ALLOW if use.category is ToolCategory.PLANNING else None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return "It only plans."


class YoloModeRule:
    """The person asked not to be asked while Plan mode is off."""

    priority: ClassVar[int] = 300

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        return AuthorizationResult.ALLOW if context.yolo_mode and not context.plan_mode else None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return "The person asked not to be asked."


class ToolIgnoreListRule:
    """The person asked not to be asked about this tool while Plan mode is off."""

    priority: ClassVar[int] = 310

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
        listed = not context.plan_mode and _listed(use, context.tool_ignore_list)
        return AuthorizationResult.ALLOW if listed else None

    def reason(self, use: ToolUse, context: AuthContext) -> str:
        return "The person asked not to be asked about this tool."


def is_guarded(use: ToolUse, context: AuthContext) -> bool:
    """True if the tool is guarded, also with the name of a server before it."""
    return any(
        guard.lower() in use.names or use.tool.lower().endswith(f"_{guard.lower()}") for guard in context.guarded_tools
    )


def standard_rules() -> tuple[AuthorizationRule, ...]:
    return (
        OnlyLookRule(),
        PlanModeBlockRule(),
        PlanScopeRule(),
        GuardedToolsRule(),
        PatternRule(),
        ShadowRule(),
        ReadOnlyToolRule(),
        PlanningToolRule(),
        YoloModeRule(),
        ToolIgnoreListRule(),
    )


def _listed(use: ToolUse, tools: tuple[str, ...]) -> bool:
    return bool(tools) and not use.disguised and bool(use.names & {tool.lower() for tool in tools})


class Ruling(NamedTuple):
    """An answer, and the reason of the rule that gave it; none if all abstained."""

    result: AuthorizationResult
    reason: str = ""

    @property
    def is_silent(self) -> bool:
        """Whether no rule answered."""
        return not self.reason


class AuthorizationPolicy:
    """Combine rules into a single answer. Any denial is final; if all abstain, ask the person."""

    def __init__(self, rules: Iterable[AuthorizationRule] | None = None) -> None:
        chosen = standard_rules() if rules is None else tuple(rules)
        self._rules = tuple(sorted(chosen, key=lambda rule: rule.priority))

    def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult:
        return self.explain(use, context).result

    def explain(self, use: ToolUse, context: AuthContext) -> Ruling:
        """The answer with its reason."""
        first: tuple[AuthorizationRule, AuthorizationResult] | None = None
        for rule in self._rules:
            answer = rule.evaluate(use, context)
            if answer is None:
                continue
            if answer is AuthorizationResult.DENY:
                return Ruling(answer, rule.reason(use, context))
            if first is None:
                first = rule, answer
        if first is None:
            return Ruling(AuthorizationResult.CONFIRM)
        return Ruling(first[1], first[0].reason(use, context))

    def require(self, use: ToolUse, context: AuthContext) -> Ruling:
        """The answer, when it is not a denial.

        Raises:
            ToolDeniedError: a rule denies it; the sentence says why.
        """
        ruling = self.explain(use, context)
        if ruling.result is AuthorizationResult.DENY:
            raise ToolDeniedError(ruling.reason, next="Go on without it, or put it into the plan.")
        return ruling


def auth_context(settings: Settings, permissions: SessionPermissions, *, shadowed: bool) -> AuthContext:
    return AuthContext(
        yolo_mode=permissions.yolo,
        tool_ignore_list=permissions.tool_ignore,
        plan_mode=permissions.plan_mode,
        shadowed=shadowed,
        guarded_tools=settings.guarded_tools,
        guard_blocks=not settings.guarded_tools_only_logged,
        plan_scope=permissions.plan_scope,
        rules=settings.rules,
        only_look=permissions.only_look,
    )
