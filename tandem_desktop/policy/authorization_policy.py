"""Many rules, one answer."""

from collections.abc import Iterable
from typing import NamedTuple

from tandem_desktop.domain.authorization import AuthContext, AuthorizationResult, AuthorizationRule, ToolUse
from tandem_desktop.domain.errors import ToolDeniedError
from tandem_desktop.policy.rules import standard_rules


class Ruling(NamedTuple):
    """An answer, and the words of the rule that gave it; none when all were silent."""

    result: AuthorizationResult
    reason: str = ""


class AuthorizationPolicy:
    """Combine rules into a single answer. Any denial is final; silence means ask the person."""

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
