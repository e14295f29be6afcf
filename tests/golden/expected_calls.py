"""What each recorded session comes to: tool, kind, what it is about, and whether the agent asked first."""

READ = ("read", "read", "app.py", False)
WRITE = ("write", "edit", "hello.py", True)
EDIT = ("edit", "edit", "app.py", True)
BASH = ("bash", "execute", "echo hi > made_by_bash.txt", True)
READ_BACK = ("read", "read", "hello.py", False)
SEQUENCE = (READ, WRITE, EDIT, BASH, READ_BACK)

Call = tuple[str, str, str, bool]


def in_claude(asked: tuple[bool, bool, bool]) -> tuple[Call, ...]:
    """The same sequence as Claude names it, asked for or not: write, edit, bash."""
    return (
        ("Read", "read", "app.py", False),
        ("Write", "edit", "hello.py", asked[0]),
        ("Edit", "edit", "app.py", asked[1]),
        ("Bash", "execute", "echo hi > made_by_bash.txt", asked[2]),
        ("Read", "read", "hello.py", False),
    )


PARALLEL = (
    ("write", "edit", "p1.txt", True),
    ("write", "edit", "p2.txt", True),
    ("bash", "execute", "echo three > p3.txt", True),
)

CALLS: dict[str, tuple[Call, ...]] = {
    "builtin_parallel": (PARALLEL[2], PARALLEL[0], PARALLEL[1]),
    "builtin_seq": (WRITE, EDIT, BASH),
    "claude_default_nonroot": in_claude((True, True, True)),
    "claude_mcp_allow": (("present_plan", "other", "", True),),
    "claude_plan_nonroot.claude": in_claude((False, False, False)),
    "claude_plan_nonroot.claude_nb": in_claude((True, True, False)),
    "claude_plan_shadow": (
        ("Write", "edit", "hello.py", False),
        ("Bash", "execute", "echo in > inside.txt; echo bad > /workspace/../ESCAPE.txt", False),
    ),
    "claude_planmode": in_claude((False, False, False)),
    "claude_planmode_nosandbox": (),
    "claude_seq_allow": in_claude((True, True, True)),
    "claude_seq_reject": in_claude((True, True, True)),
    "codex_bash": (),
    "goose_mcp": (("present_plan", "other", "", True),),
    "goose_parallel": (PARALLEL[0], PARALLEL[1], ("shell", *PARALLEL[2][1:])),
    "goose_seq": (
        ("read", "read", "app.py", True),
        EDIT,
        BASH,
        ("read", "read", "hello.py", True),
    ),
    "goose_seq_allow": (
        ("read", "read", "app.py", True),
        EDIT,
        ("shell", *BASH[1:]),
        ("read", "read", "hello.py", True),
    ),
    "init_claude_agent": (),
    "init_claude_code": (),
    "init_codex": (),
    "init_codex_zed": (),
    "init_gemini": (),
    "init_pi": (),
    "init_qwen": (),
    "init_vibe": (),
    "oc_mcp_allow": (("present_plan", "other", "", False),),
    "oc_mcponly": (("present_plan", "other", "", False), ("write", "edit", "", False)),
    "oc_offline_fresh": (WRITE,),
    "oc_parallel_hold": PARALLEL,
    "oc_parallel_reject": PARALLEL,
    "oc_planmode": (READ, WRITE),
    "oc_seq_allow": SEQUENCE,
    "oc_seq_reject": (READ, WRITE),
    "oc_seq_reject_continue": SEQUENCE,
    "oc_shadow_bwrap": SEQUENCE,
    "oc_warm": (WRITE,),
    "oc_write_allow": (WRITE,),
    "qwen_seq_allow": (
        ("read_file", "read", "app.py", False),
        ("write_file", "edit", "hello.py", True),
        EDIT,
        ("run_shell_command", *BASH[1:]),
        ("read_file", "read", "hello.py", False),
        ("read_file", "read", "app.py", False),
        ("edit", "edit", "", False),
    ),
    "qwen_seq_reject": (
        ("read_file", "read", "app.py", False),
        WRITE,
        EDIT,
        BASH,
        ("read_file", "read", "hello.py", False),
    ),
    "vibe_seq_allow": (
        ("read_file", "read", "app.py", False),
        ("write_file", "edit", "hello.py", False),
        ("edit", "edit", "app.py", False),
        BASH,
        ("read_file", "read", "hello.py", False),
    ),
}

COMMANDS_THROUGH_THE_CLIENT = {
    "builtin_parallel": ("echo three > p3.txt",),
    "builtin_seq": ("echo hi > made_by_bash.txt",),
    "goose_parallel": ("echo three > p3.txt",),
    "goose_seq_allow": ("echo hi > made_by_bash.txt",),
}

WITH_WHOLE_FILES = ("builtin_seq", "oc_seq_allow", "qwen_seq_allow")
WITH_FRAGMENTS = ("claude_seq_allow", "goose_seq_allow")
"""How the edit of `app.py` looks at the moment of the request."""
