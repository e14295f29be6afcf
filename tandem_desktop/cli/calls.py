"""The table of calls: names, words, examples, and which function answers; no engine in sight."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.cli import call_arguments as arguments

PROPOSE, LOOK, CHANGE, DECIDE, RUN, HEALTH = GROUPS = (
    "Propose",
    "Look and try, nothing is written",
    "Make a new revision",
    "Decide",
    "Do it, take it back",
    "Health",
)


def _nothing(parser: ArgumentParser) -> None:
    """No arguments of its own."""


@dataclass(frozen=True, slots=True)
class CallWords:
    """One call as a person types it."""

    name: str
    group: str
    summary: str
    explanation: str
    examples: tuple[tuple[str, str], ...]
    handler: str = ""
    """`module:function` below `tandem_desktop.cli`, imported only when the call is made."""
    configure: Callable[[ArgumentParser], None] = _nothing
    shape: str = ""
    parts: tuple["CallWords", ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.name} {self.shape}".rstrip()


CALLS: tuple[CallWords, ...] = (
    CallWords(
        "gui",
        PROPOSE,
        "the window (also: tandem without a word)",
        "Open the window: talk to an agent, review its plan, implement it, take it back.",
        (("tandem gui", "the last workspace, or the choice of one"), ("tandem gui ~/project", "a workspace")),
        "window:gui",
        arguments.gui,
        "[DIR]",
    ),
    CallWords(
        "propose",
        PROPOSE,
        "plan JSON becomes a plan; nothing is written to your files",
        "Read plan JSON, try every step on the workspace in memory, and stage the operations for review.\n"
        "A step that does not apply is refused with its name and the reason, and no plan is made.\n"
        "FILE is relative to the folder you are in, not to -C.",
        (
            ("tandem propose plan.json", "stage the steps of plan.json"),
            ("my-agent | tandem propose -", "from standard input"),
            ("tandem -C project propose plan.json --json", "for a script, in another workspace"),
        ),
        "proposing:propose",
        arguments.propose,
        "FILE|-",
    ),
    CallWords(
        "review",
        PROPOSE,
        "a unified diff becomes a plan",
        "Read a unified diff (git diff, diff -u; renames, modes, new and deleted files) and stage it for review.\n"
        "Nothing is guessed: a hunk that does not fit exactly is refused.",
        (
            ("git diff main..feature | tandem review - --no-window", "review a branch before it touches your files"),
            ("tandem review fix.patch --no-window", "review a patch somebody sent"),
        ),
        "proposing:review",
        arguments.review,
        "PATCH|- [--no-window]",
    ),
    CallWords(
        "run",
        PROPOSE,
        "plan with an agent, in a shadow of the workspace",
        "Start an agent in a shadow of the workspace, give it a task, and stage whatever it does for review.\n"
        "Nothing it does reaches your files; commands it wants to run are queued in the plan.",
        (
            ('tandem run --agent opencode --task "add a --verbose flag"', "plan with OpenCode"),
            ('tandem run --task "/replace colour color"', "a recipe of the built-in agent, no model needed"),
            ('tandem run --agent-command "my-agent --acp" --env MY_KEY --task "…"', "any agent that speaks ACP"),
            ('tandem run --session SES-1a2b3c4d --agent goose --task "also the tests"', "go on with a session"),
        ),
        "planning_with_agents:run",
        arguments.run_agent,
        "--agent NAME --task TEXT",
    ),
    CallWords(
        "mcp",
        PROPOSE,
        "the planning tools for an agent, by MCP on stdin and stdout",
        "Let an agent of your own propose plans for this workspace and look at them: make this call its MCP server.\n"
        "No tool approves, rejects or applies; that stays with you.\n"
        "With --session it connects an agent that Tandem started to its session; only Tandem calls it so.",
        (
            ("claude mcp add tandem -- tandem mcp", "register it with an agent, in the workspace's folder"),
            ("tandem -C project mcp", "for another workspace"),
        ),
        "planning:mcp",
        arguments.mcp,
        "[--session ID]",
    ),
    CallWords(
        "recipe",
        PROPOSE,
        "work that needs no model becomes a plan",
        "Read a recipe as it is typed in the chat, look at the files, and stage what it would do for review.\n"
        "Without TEXT, list the recipes. Text with spaces goes in quotes; what git ignores is left alone.",
        (
            ("tandem recipe", "the recipes there are"),
            ('tandem recipe \'/replace "old text" "new text" --in *.md\'', "in every Markdown file"),
            ("tandem recipe '/rename-identifier get_user fetch_user'", "in code, not in strings and comments"),
        ),
        "recipes:recipe",
        arguments.recipe,
        "[TEXT]",
    ),
    CallWords(
        "agent",
        PROPOSE,
        "the built-in agent, by ACP on stdin and stdout",
        "Be the agent that comes with Tandem, for Tandem itself or any other client of the agent client protocol.\n"
        "It asks before every change and every command. Without a model it offers the recipes.",
        (
            ("tandem agent", "recipes only"),
            ("TANDEM_MODEL=ollama:qwen3 tandem agent", "with a model on this machine"),
        ),
        "recipes:agent",
        arguments.agent,
    ),
    CallWords(
        "agents",
        LOOK,
        "which agents there are, and what they need",
        "List every agent Tandem knows: whether it is here, its version, what it needs, and whether it is confined.",
        (("tandem agents", "what is here"),),
        "planning_with_agents:agents",
    ),
    CallWords(
        "list",
        LOOK,
        "the plans of this workspace, newest first",
        "List every plan with its status, revision and digest. Plans that cannot be read are named with the reason.",
        (("tandem list", "the plans here"), ("tandem list --json", "for a script")),
        "looking:list_plans",
    ),
    CallWords(
        "show",
        LOOK,
        "what a plan will do, and the digest to approve",
        "Show every operation, computed from what it does: kind, path, lines, flags, and commands in full.\n"
        "The agent's own words are marked as such. The digest covers everything that has an effect.",
        (
            ("tandem show PLAN-1a2b3c4d --diff", "with every changed line"),
            ("tandem show 1a2b", "the first digits are enough"),
            ("tandem show 1a2b --revision 1", "an earlier revision"),
        ),
        "looking:show",
        arguments.show,
        "PLAN [--diff] [--revision N]",
    ),
    CallWords(
        "compare",
        LOOK,
        "two revisions, operation by operation",
        "Say which operations were added, removed, changed or moved between two revisions of a plan.",
        (
            ("tandem compare PLAN-1a2b3c4d 1 2", "what revision 2 does differently"),
            ("tandem compare PLAN-1a2b3c4d 1 2 --diff", "and how the files it leaves differ"),
        ),
        "looking:compare",
        arguments.compare,
        "PLAN R1 R2 [--diff]",
    ),
    CallWords(
        "drift",
        LOOK,
        "what changed on disk since the plan was made",
        "Name each path that is no longer what the plan was made for. Apply refuses while there is any.",
        (("tandem drift PLAN-1a2b3c4d", "before you approve"),),
        "looking:drift",
        arguments.plan,
        "PLAN",
    ),
    CallWords(
        "simulate",
        LOOK,
        "try a plan in memory against the files as they are",
        "Try every operation, in order, on a tree in memory, and name those that would not apply.",
        (("tandem simulate PLAN-1a2b3c4d", "would it still work?"),),
        "looking:simulate",
        arguments.plan,
        "PLAN",
    ),
    CallWords(
        "drop",
        CHANGE,
        "the same plan without some operations or hunks",
        "Leave out operations, or single hunks of one, and save the rest as your own new revision.\n"
        "An earlier approval ends with it: the new revision has a new digest.",
        (
            ("tandem drop PLAN-1a2b3c4d s3", "without operation s3"),
            ("tandem drop PLAN-1a2b3c4d s1:2,3 s4", "without hunks 2 and 3 of s1, and without s4"),
        ),
        "proposing:drop",
        arguments.drop,
        "PLAN OP[:HUNK,…]…",
    ),
    CallWords(
        "rebase",
        CHANGE,
        "the same plan for the files as they are now",
        "Carry the plan over to what changed on disk since it was made, and save it as a new revision.\n"
        "Changes that keep apart are combined. Where both sides changed the same lines nothing is saved:\n"
        "you say, for each path or region, whose lines are to stand.",
        (
            ("tandem rebase PLAN-1a2b3c4d", "combine, or show what is in conflict"),
            ("tandem rebase PLAN-1a2b3c4d --take disk src/app.py:2", "for region 2 keep what is on disk"),
            ("tandem rebase PLAN-1a2b3c4d --resolved merged.py src/app.py", "with a file you merged yourself"),
        ),
        "rebasing:rebase",
        arguments.rebase,
        "PLAN [--take WAY PATH]… [--resolved FILE PATH]…",
    ),
    CallWords(
        "restore",
        CHANGE,
        "bring an earlier revision back, as a new one",
        "Save an earlier revision again as the newest. Nothing is ever rewritten.",
        (("tandem restore PLAN-1a2b3c4d 1", "revision 1 becomes the newest again"),),
        "proposing:restore",
        arguments.restore,
        "PLAN R",
    ),
    CallWords(
        "comment",
        DECIDE,
        "say something about a plan, an operation or some lines",
        "Keep a comment as a draft. All drafts go to the agent together when the plan is sent back.\n"
        "PLACE is an operation (s1), lines of the proposed file (s1:+12..14) or of the file as it was (s1:-8),\n"
        "or the plan text (text, text:3).",
        (
            ('tandem comment PLAN-1a2b3c4d s2:+20..22 "this changes who may log in"', "on three proposed lines"),
            ('tandem comment PLAN-1a2b3c4d s3 "why at all?"', "on an operation"),
            ('tandem comment PLAN-1a2b3c4d text "the second task is missing"', "on the plan text"),
        ),
        "commenting:comment",
        arguments.comment,
        "PLAN PLACE TEXT",
    ),
    CallWords(
        "comments",
        DECIDE,
        "the comments on a plan",
        "List the comments that were not sent yet, beside the lines they are about now; or take one back.",
        (
            ("tandem comments PLAN-1a2b3c4d", "what would be sent"),
            ("tandem comments PLAN-1a2b3c4d --remove C2", "take one back"),
        ),
        "commenting:comments",
        arguments.comments,
        "PLAN [--remove ID]",
    ),
    CallWords(
        "approve",
        DECIDE,
        "exactly this, once",
        "Approve the newest revision by the digest you were shown. The approval holds in this workspace, for one run,\n"
        "for 24 hours, and ends with any newer revision.",
        (("tandem approve PLAN-1a2b3c4d --digest 0123456789ab", "at least 12 digits of the digest shown"),),
        "deciding:approve",
        arguments.approve,
        "PLAN --digest D [--notes T]",
    ),
    CallWords(
        "reject",
        DECIDE,
        "send a plan back with words and comments",
        "Send the plan back, with the words given here and every comment that was not sent yet.\n"
        "After the third time a person has to step in.",
        (
            ('tandem reject PLAN-1a2b3c4d --feedback "keep the old name"', "say what should be different"),
            ("tandem reject PLAN-1a2b3c4d", "the comments say it all"),
        ),
        "deciding:reject",
        arguments.reject,
        "PLAN [--feedback T]",
    ),
    CallWords(
        "cancel",
        DECIDE,
        "end a plan; nothing of it will run",
        "End the plan for good. Files are not touched.",
        (("tandem cancel PLAN-1a2b3c4d", "nothing of it will run"),),
        "deciding:cancel",
        arguments.plan,
        "PLAN",
    ),
    CallWords(
        "apply",
        RUN,
        "run an approved plan: all of it, or nothing",
        "Run exactly what was approved, under a journal. Ctrl-C stops between two operations and puts everything back\n"
        "(with --on-failure rollback).",
        (
            ("tandem apply PLAN-1a2b3c4d", "all or nothing"),
            ("tandem apply PLAN-1a2b3c4d --on-failure stop", "keep what was done before a failure"),
        ),
        "running:apply",
        arguments.apply,
        "PLAN [--on-failure …]",
    ),
    CallWords(
        "runs",
        RUN,
        "what was run here, and what can be undone",
        "List every run of this workspace, newest first.",
        (("tandem runs", "the runs here"),),
        "running:runs",
    ),
    CallWords(
        "undo",
        RUN,
        "take a run back",
        "Put every path the run touched back to what it was: bytes, modes, links. Later edits of yours are kept when\n"
        "they do not overlap; otherwise nothing changes and each path is named.",
        (
            ("tandem undo RUN-1a2b3c4d --preview", "what would happen"),
            ("tandem undo RUN-1a2b3c4d", "take the whole run back"),
            ("tandem undo RUN-1a2b3c4d --op s2", "take one operation back"),
        ),
        "running:undo",
        arguments.undo,
        "RUN [--op ID] [--preview]",
    ),
    CallWords(
        "redo",
        RUN,
        "bring back what an undo took away",
        "Do an undone run again. Takes the run's own id, or that of its undo.",
        (("tandem redo RUN-1a2b3c4d", "bring it back"),),
        "running:redo",
        arguments.run,
        "RUN",
    ),
    CallWords(
        "recover",
        RUN,
        "settle a run that was cut off",
        "Without a flag, list interrupted runs. With one, settle the run: go on, put everything back, or leave it.",
        (
            ("tandem recover", "is there one?"),
            ("tandem recover --rollback", "put every path back to what it was"),
            ("tandem recover --resume", "go on where it was cut off"),
            ("tandem recover --mark-failed", "leave the tree as it is"),
        ),
        "recovering:recover",
        arguments.recover,
        "[RUN] [--resume|--rollback|…]",
    ),
    CallWords(
        "audit",
        HEALTH,
        "check that no record of the audit was changed or removed",
        "Look after the audit log: who approved what, when, and what came of it.",
        (("tandem audit verify", "follow the chain from its beginning"),),
        shape="verify",
        parts=(
            CallWords(
                "verify",
                HEALTH,
                "follow the chain",
                "Follow the hash chain of the audit log from its beginning. Exit code 1 when it is broken.",
                (("tandem audit verify --json", "ok, records, first_bad"),),
                "checking:audit_verify",
            ),
        ),
    ),
    CallWords(
        "selftest",
        HEALTH,
        "prove on this machine that approved = applied = undoable",
        "Take a generated corpus of plans through propose, approve, apply and undo in temporary folders, and compare\n"
        "every tree with an independent look at the disk. Exit code 1 unless all three figures read 100.",
        (("tandem selftest", "the quick corpus"), ("tandem selftest --full", "the whole corpus")),
        "checking:selftest",
        arguments.selftest,
        "[--full]",
    ),
    CallWords(
        "doctor",
        HEALTH,
        "look for what could stand in the way, and say how to mend it",
        "Check Python, git, the state folder, the workspace, plans, runs, the audit and the disk.",
        (("tandem doctor", "check this workspace"),),
        "doctor:doctor",
    ),
    CallWords(
        "completion",
        HEALTH,
        "completion for your shell",
        "Print a completion script.",
        (
            ("source <(tandem completion bash)", "bash, for this session; add the line to ~/.bashrc"),
            ('tandem completion zsh > "${fpath[1]}/_tandem"', "zsh"),
            ("tandem completion fish > ~/.config/fish/completions/tandem.fish", "fish"),
        ),
        "completion:completion",
        arguments.completion,
        "bash|zsh|fish",
    ),
)
