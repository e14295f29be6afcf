"""The table of commands."""

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.cli import arguments

PROPOSE, LOOK, CHANGE, DECIDE, RUN, HEALTH = GROUPS = (
    "Propose",
    "Look and try",
    "Revise",
    "Decide",
    "Run and undo",
    "Health",
)
MAIN_CALLS = ("propose", "review", "run", "list", "show", "approve", "reject", "apply", "undo", "recover")
"""The way of every change, in its order; `tandem --help` explains these and names the others."""


def nothing(parser: ArgumentParser) -> None:
    """No arguments of its own."""


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One call as a person types it."""

    name: str
    group: str
    summary: str
    explanation: str
    examples: tuple[tuple[str, str], ...]
    handler: str = ""
    """`module:function` below `tandem_desktop.cli`, imported only when the call is made."""
    configure: Callable[[ArgumentParser], None] = nothing
    shape: str = ""
    parts: tuple["CommandSpec", ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.name} {self.shape}".rstrip()


REVIEWING_CALLS: tuple[CommandSpec, ...] = (
    CommandSpec(
        "agents",
        LOOK,
        "which agents there are, and what they need",
        "List every agent Tandem knows: whether it is here, its version, what it needs, and whether it is confined.\n"
        "An agent of your own is added by its command, or from the registry file of the Agent Client Protocol.",
        (
            ("tandem agents", "what is here"),
            ("tandem agents add mine -- my-agent --acp", "a command of your own, by name from now on"),
        ),
        "agents:agents",
        shape="[add|import|remove]",
        parts=(
            CommandSpec(
                "add",
                LOOK,
                "offer a command of your own by name",
                "Keep a command that speaks the Agent Client Protocol on its standard input under a name. It is then\n"
                "offered wherever agents are, with a private home of its own. The profile is a file you can edit.",
                (
                    ("tandem agents add mine -- my-agent --acp", "then: tandem run --agent mine --task TEXT"),
                    (
                        "tandem agents add mine --env MY_KEY --credentials .mine/auth.json -- my-agent",
                        "with its log-in",
                    ),
                ),
                "agents:add_agent",
                arguments.add_agent,
                "NAME [--env NAME] [--credentials FILE] -- CMD…",
            ),
            CommandSpec(
                "import",
                LOOK,
                "add agents from a registry file",
                "Add the agents of a registry.json, or of one agent.json, that are given as an npm or PyPI package.\n"
                "Nothing is fetched now: npx or uvx fetches the package when the agent is first started.",
                (("tandem agents import registry.json goose", "only this one of them"),),
                "agents:import_agents",
                arguments.import_agents,
                "FILE [NAME…]",
            ),
            CommandSpec(
                "remove",
                LOOK,
                "forget an agent you added",
                "Remove the profile of an agent you added. Its plans and its private home stay.",
                (("tandem agents remove mine", "forget it"),),
                "agents:remove_agent",
                arguments.remove_agent,
                "NAME",
            ),
        ),
    ),
    CommandSpec(
        "list",
        LOOK,
        "the plans of this workspace, newest first",
        "List every plan with its status, revision and digest. Plans that cannot be read are named with the reason.",
        (("tandem list", "the plans here"), ("tandem list --json", "for a script")),
        "plan_list:list_plans",
        arguments.list_plans,
        "[--session SESSION]",
    ),
    CommandSpec(
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
        "show:show",
        arguments.show,
        "PLAN [--diff] [--revision N]",
    ),
    CommandSpec(
        "compare",
        LOOK,
        "two revisions, operation by operation",
        "Say which operations were added, removed, changed or moved between two revisions of a plan, or between a\n"
        "revision and one of another plan, such as an alternative.",
        (
            ("tandem compare PLAN-1a2b3c4d 1 2", "what revision 2 does differently"),
            ("tandem compare PLAN-1a2b3c4d 1 2 --diff", "and how the files it leaves differ"),
            ("tandem compare PLAN-1a2b3c4d 2 PLAN-5e6f7a8b 1", "what an alternative does differently"),
        ),
        "show:compare",
        arguments.compare,
        "PLAN R1 [OTHER] R2 [--diff]",
    ),
    CommandSpec(
        "drift",
        LOOK,
        "what changed on disk since the plan was made",
        "Name each path that is no longer what the plan was made for. Apply refuses while there is any.",
        (("tandem drift PLAN-1a2b3c4d", "before you approve"),),
        "show:drift",
        arguments.plan,
        "PLAN",
    ),
    CommandSpec(
        "simulate",
        LOOK,
        "try a plan in memory against the files as they are",
        "Try every operation, in order, on a tree in memory, and name those that would not apply.",
        (("tandem simulate PLAN-1a2b3c4d", "would it still work?"),),
        "show:simulate",
        arguments.plan,
        "PLAN",
    ),
    CommandSpec(
        "rehearse",
        LOOK,
        "run a plan in a throw-away shadow, see what it does",
        "Play the whole plan, approved or not, in a shadow that is thrown away: file operations happen there, and\n"
        "commands run there in order, without a network. Shows what each command printed and did to the files.\n"
        "Commands with effects are played twice; what cannot be predicted is said to be so.\n"
        "With --record the effects take the place of their commands in a new revision of your own.",
        (
            ("tandem rehearse PLAN-1a2b3c4d", "what would its commands do?"),
            ("tandem rehearse PLAN-1a2b3c4d --network", "with the network, for a command that needs it"),
            ("tandem rehearse PLAN-1a2b3c4d --record s2", "apply what s2 did here instead of running it again"),
        ),
        "revisions:rehearse",
        arguments.rehearse,
        "PLAN [--network] [--record [OP…]]",
    ),
    CommandSpec(
        "stats",
        LOOK,
        "how the plans here have fared, and which tools were missing",
        "Count plans, revisions, operations, ratings and times from what is stored, each beside its aim, and name the\n"
        "tools that plans wanted and that are not there.",
        (("tandem stats", "the figures"), ("tandem stats --json", "for a script")),
        "maintenance:stats",
    ),
    CommandSpec(
        "export",
        LOOK,
        "a plan as one file, for another person or workspace",
        "Write every revision with its operations, all bytes, digests and comments into one sealed file.\n"
        "No approval goes with it. Imported elsewhere it shows the same diff and the same digest.",
        (
            ("tandem export PLAN-1a2b3c4d", "into PLAN-1a2b3c4d.tandem-plan, in this folder"),
            ("tandem export PLAN-1a2b3c4d -o review-me.tandem-plan", "under a name of your own"),
        ),
        "templates:export",
        arguments.export,
        "PLAN [-o FILE]",
    ),
    CommandSpec(
        "reflect",
        LOOK,
        "ask an agent what to change after a failed run",
        "Show a run to an agent, which may only read, and print its assessment, its reasons and the adjustments it\n"
        "proposes, numbered. They are kept with the run; nothing changes until you accept some with adjust.",
        (
            ("tandem reflect PLAN-1a2b3c4d --agent opencode", "about the last run of a plan"),
            ("tandem reflect RUN-1a2b3c4d --json", "for a script"),
        ),
        "orchestrate:reflect",
        arguments.reflect,
        "PLAN|RUN [--agent NAME]",
    ),
    CommandSpec(
        "add",
        CHANGE,
        "the same plan with one more command at its end",
        "Add a command that has to run for real, such as a migration, and save that as your own new revision.\n"
        "It runs in its place when the plan is applied. What an agent ran in its shadow is not run again.",
        (('tandem add PLAN-1a2b3c4d "./manage.py migrate"', "apply writes the files, then migrates"),),
        "plans:add",
        arguments.add,
        "PLAN COMMAND",
    ),
    CommandSpec(
        "drop",
        CHANGE,
        "the same plan without some operations or hunks",
        "Leave out operations, or single hunks of one, and save the rest as your own new revision.\n"
        "An earlier approval ends with it: the new revision has a new digest.",
        (
            ("tandem drop PLAN-1a2b3c4d s3", "without operation s3"),
            ("tandem drop PLAN-1a2b3c4d s1:2,3 s4", "without hunks 2 and 3 of s1, and without s4"),
        ),
        "plans:drop",
        arguments.drop,
        "PLAN OP[:HUNK,…]…",
    ),
    CommandSpec(
        "include",
        CHANGE,
        "the same plan with new files that git ignores",
        "What an agent made, git ignores and was not there before is counted and left out of the plan.\n"
        "Take a folder or some files of it in, and save them with the rest as your own new revision.",
        (
            ("tandem include PLAN-1a2b3c4d dist", "with everything in dist"),
            ("tandem include PLAN-1a2b3c4d 'assets/*.css' '**/generated'", "with what fits"),
        ),
        "revisions:include",
        arguments.include,
        "PLAN GLOB…",
    ),
    CommandSpec(
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
        "revisions:rebase",
        arguments.rebase,
        "PLAN [--take WAY PATH]… [--resolved FILE PATH]…",
    ),
    CommandSpec(
        "restore",
        CHANGE,
        "bring an earlier revision back, as a new one",
        "Save an earlier revision again as the newest. Nothing is ever rewritten.",
        (("tandem restore PLAN-1a2b3c4d 1", "revision 1 becomes the newest again"),),
        "plans:restore",
        arguments.restore,
        "PLAN R",
    ),
    CommandSpec(
        "branch",
        CHANGE,
        "an alternative to a revision, as a plan of its own",
        "Begin a second plan with what a revision does, to change one of them and compare the two. It has an id, a\n"
        "digest and a session of its own; the first stays as it is. When one is applied, the others are superseded.",
        (
            ("tandem branch PLAN-1a2b3c4d", "an alternative to the latest revision"),
            ("tandem branch PLAN-1a2b3c4d 1", "an alternative to revision 1"),
        ),
        "plans:branch",
        arguments.branch,
        "PLAN [R]",
    ),
    CommandSpec(
        "adjust",
        CHANGE,
        "make a revision of the adjustments you accept",
        "Turn the adjustments you accept of a reflection into a new revision: tried on the workspace, and to be\n"
        "approved like any other. Adjustments you do not name are rejected.",
        (("tandem adjust PLAN-1a2b3c4d --accept 1,3", "the first and the third"),),
        "orchestrate:adjust",
        arguments.adjust,
        "PLAN|RUN --accept N,…",
    ),
    CommandSpec(
        "check",
        DECIDE,
        "run tests, types and lint without and with a plan",
        "Run the checks of this workspace twice: in a shadow of the files as they are, and in a shadow with the plan;\n"
        "confined, without a network. Says what the plan fixes, what it breaks, and each new message with its line.\n"
        "The checks are those of .tandem/checks.toml, or found from the files. They run only after you accepted the\n"
        "list once; a list that changed has to be accepted again. Exit code 1 when the plan breaks something.",
        (
            ("tandem check PLAN-1a2b3c4d", "does it work? or, the first time: what would run"),
            ("tandem check PLAN-1a2b3c4d --accept", "accept the list, and run it"),
            ("tandem check PLAN-1a2b3c4d --only pytest --timeout 60", "one check, a minute at most"),
        ),
        "checks:check",
        arguments.check,
        "PLAN [--accept] [--only NAME] [--timeout S]",
    ),
    CommandSpec(
        "needed",
        DECIDE,
        "which changes of a plan any check needs",
        "Leave out each hunk in a shadow of its own and run the checks: `needed` where one comes out otherwise,\n"
        "`nothing notices` where all stay the same. That is a hint where to look, never permission: a change without\n"
        "a test is not noticed either. With --shrink a small set of hunks with the same results becomes a revision.",
        (
            ("tandem needed PLAN-1a2b3c4d", "is there anything that nothing needs?"),
            ("tandem needed PLAN-1a2b3c4d --shrink", "propose the plan without it"),
        ),
        "checks:needed",
        arguments.needed,
        "PLAN [--shrink] [--accept] [--only NAME] [--timeout S]",
    ),
    CommandSpec(
        "overlaps",
        DECIDE,
        "which waiting plans change the same paths",
        "Name each two plans that wait and change the same paths, and whether one can follow the other by itself.",
        (("tandem overlaps", "all that wait"),),
        "show:overlaps",
        arguments.overlaps,
        "[PLAN…]",
    ),
    CommandSpec(
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
        "plans:comment",
        arguments.comment,
        "PLAN PLACE TEXT",
    ),
    CommandSpec(
        "comments",
        DECIDE,
        "the comments on a plan",
        "List the comments that were not sent yet, beside the lines they are about now; or take one back.",
        (
            ("tandem comments PLAN-1a2b3c4d", "what would be sent"),
            ("tandem comments PLAN-1a2b3c4d --remove C2", "take one back"),
        ),
        "plans:comments",
        arguments.comments,
        "PLAN [--remove ID]",
    ),
    CommandSpec(
        "approve",
        DECIDE,
        "exactly this, once",
        "Approve the newest revision by the digest you were shown. The approval holds in this workspace, for one run,\n"
        "for 24 hours, and ends with any newer revision. At the terminal on which show printed the plan just before,\n"
        "the digest can be left out: the call asks, and a yes approves exactly what was shown.\n"
        "A lock file that installs code has to be printed by show --diff on this terminal, or skipped by its name:\n"
        "the call asks for it, or takes --skip-lock; with --digest it does not ask and is refused without.",
        (
            ("tandem approve PLAN-1a2b3c4d", "after tandem show PLAN-1a2b3c4d: asks, y approves"),
            ("tandem approve PLAN-1a2b3c4d --digest 0123456789ab", "at least 12 digits of the digest shown"),
            (
                "tandem approve PLAN-1a2b3c4d --digest 0123456789ab --skip-lock package-lock.json",
                "with a lock file that was not looked at",
            ),
        ),
        "plans:approve",
        arguments.approve,
        "PLAN [--digest D] [--notes T] [--skip-lock PATH]",
    ),
    CommandSpec(
        "reject",
        DECIDE,
        "send a plan back with words and comments",
        "Send the plan back, with the words given here and every comment that was not sent yet.\n"
        "After the third time a person has to step in. Without words and without comments the plan is cancelled.",
        (
            ('tandem reject PLAN-1a2b3c4d --feedback "keep the old name"', "say what should be different"),
            ("tandem reject PLAN-1a2b3c4d", "the comments say it all"),
        ),
        "plans:reject",
        arguments.reject,
        "PLAN [--feedback T]",
    ),
    CommandSpec(
        "rate",
        DECIDE,
        "say what you thought of a plan, from 1 to 5",
        "Keep a rating with the plan; it counts in the figures. A later one takes its place.",
        (("tandem rate PLAN-1a2b3c4d 5", "excellent"),),
        "maintenance:rate",
        arguments.rate,
        "PLAN N",
    ),
    CommandSpec(
        "cancel",
        DECIDE,
        "end a plan; nothing of it will run",
        "End the plan for good. Files are not touched.",
        (("tandem cancel PLAN-1a2b3c4d", "nothing of it will run"),),
        "plans:cancel",
        arguments.plan,
        "PLAN",
    ),
)


CALLS: tuple[CommandSpec, ...] = (
    CommandSpec(
        "gui",
        PROPOSE,
        "the window (also: tandem without a word)",
        "Open the window: talk to an agent, review its plan, implement it, take it back.",
        (
            ("tandem gui", "the last workspace, or the choice of one"),
            ("tandem gui ~/project", "a workspace"),
            ("tandem gui ~/project/fix.patch", "a patch, as a plan for the project it lies in"),
            ("tandem -C ~/project gui --plan PLAN-1a2b3c4d", "one of its plans"),
        ),
        "server:gui",
        arguments.gui,
        "[DIR]",
    ),
    CommandSpec(
        "propose",
        PROPOSE,
        "plan JSON becomes a plan; no file is touched",
        "Read plan JSON, try every step on the workspace in memory, and stage the operations for review.\n"
        "A step that does not apply is refused with its name and the reason, and no plan is made.\n"
        "FILE is relative to the folder you are in, not to -C.",
        (
            ("tandem propose plan.json", "stage the steps of plan.json"),
            ("my-agent | tandem propose -", "from standard input"),
            ("tandem -C project propose plan.json --json", "for a script, in another workspace"),
        ),
        "plans:propose",
        arguments.propose,
        "FILE|-",
    ),
    CommandSpec(
        "review",
        PROPOSE,
        "a unified diff becomes a plan",
        "Read a unified diff (git diff, diff -u; renames, modes, new and deleted files) and stage it for review.\n"
        "Nothing is guessed: a hunk that does not fit exactly is refused.",
        (
            ("git diff main..feature | tandem review - --no-window", "review a branch before it touches your files"),
            ("tandem review fix.patch --no-window", "review a patch you were sent"),
        ),
        "plans:review",
        arguments.review,
        "PATCH|- [--no-window]",
    ),
    CommandSpec(
        "run",
        PROPOSE,
        "plan with an agent, in a shadow of the workspace",
        "Start an agent in a shadow of the workspace, give it a task, and stage whatever it does for review.\n"
        "Nothing it does reaches your files. Commands run in the shadow and are listed; unconfined, they are queued.\n"
        "What it asks is asked at the terminal; without one it is declined, and the plan names it.",
        (
            ('tandem run --agent opencode --task "add a --verbose flag"', "plan with OpenCode"),
            ('tandem run --task "/replace colour color"', "a recipe of the built-in agent, no model needed"),
            ('tandem run --agent-command "my-agent --acp" --env MY_KEY --task "…"', "any agent that speaks ACP"),
            ('tandem run --session SES-1a2b3c4d --agent goose --task "also the tests"', "go on with a session"),
            ('tandem run --delegate --agent claude --task "…"', "a planner that may only look; others follow up"),
        ),
        "agents:run",
        arguments.run_agent,
        "--agent NAME --task TEXT",
    ),
    CommandSpec(
        "orchestrate",
        PROPOSE,
        "a task from plan to end, with you at every gate",
        "Have an agent make a plan in steps, approve it by its digest, run it; when it fails the agent looks back and\n"
        "proposes adjustments, you accept some by number, and the new plan is shown. Answers are read from standard\n"
        "input, a line each; an empty line or its end leaves the plan waiting. The agent may only read.",
        (
            ('tandem orchestrate --agent opencode --task "add tests for the parser"', "with you at every gate"),
            ('tandem orchestrate --task "…" --json < /dev/null', "only make the plan, for a script"),
        ),
        "orchestrate:orchestrate",
        arguments.orchestrate,
        "--agent NAME --task TEXT",
    ),
    CommandSpec(
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
        "server:mcp",
        arguments.mcp,
        "[--session ID]",
    ),
    CommandSpec(
        "acp",
        PROPOSE,
        "an agent for your editor, with a review before anything is written",
        "Speak the Agent Client Protocol on stdin and stdout. To the editor Tandem is an agent; it runs the real one\n"
        "in a shadow of the folder the editor names. A turn ends with one question about the whole plan: Apply,\n"
        "Review in Tandem, Request changes or Discard. An editor calls this; docs/editors.md has the line for each.",
        (
            ("tandem acp --agent opencode", "one of `tandem agents`"),
            ("tandem acp -- my-agent --acp", "any command that speaks ACP, as the editor had it"),
            ("tandem acp --env MY_KEY --allow-host models.example.org -- my-agent", "with a key and a host"),
        ),
        "server:acp",
        arguments.acp,
        "[--agent NAME | -- AGENT…]",
    ),
    CommandSpec(
        "serve",
        PROPOSE,
        "plans, tasks and decisions over HTTP, on this machine alone",
        "Answer HTTP on 127.0.0.1 until Ctrl-C: look at plans and tasks, approve by digest, follow what runs.\n"
        "Every request needs the token that is printed; GET /openapi.json describes the rest.",
        (
            ("tandem serve", "on a free port"),
            ("tandem -C project serve --port 8765 --json", "for a script: url and token on the first line"),
        ),
        "server:serve",
        arguments.serve,
        "[--port N]",
    ),
    CommandSpec(
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
        "templates:recipe",
        arguments.recipe,
        "[TEXT]",
    ),
    CommandSpec(
        "template",
        PROPOSE,
        "plans kept for another time, with names for what differs",
        "Keep a plan under a name, and make a new plan from it whenever it is wanted: here or in another workspace.\n"
        "The recipes of the built-in agent are templates too; list names both.",
        (("tandem template list", "the templates and recipes there are"),),
        shape="save|list|use|remove",
        parts=(
            CommandSpec(
                "save",
                PROPOSE,
                "keep the latest revision of a plan",
                "Keep the steps of a plan. Each NAME=TEXT makes a parameter of a text that stands in its paths,\n"
                "contents or commands; wherever it stood, another text can be put later.",
                (("tandem template save PLAN-1a2b3c4d endpoint resource=orders", "orders becomes {{resource}}"),),
                "templates:save",
                arguments.template_save,
                "PLAN NAME [NAME=TEXT]…",
            ),
            CommandSpec(
                "list",
                PROPOSE,
                "the templates there are",
                "List your templates with their parameters, and the recipes.",
                (("tandem template list --json", "templates, recipes"),),
                "templates:list_templates",
            ),
            CommandSpec(
                "use",
                PROPOSE,
                "a template becomes a plan",
                "Fill in the parameters and stage the steps for review, as propose does. A step that does not apply\n"
                "here is refused with the reason, and no plan is made.",
                (("tandem template use endpoint resource=customers", "a plan for customers"),),
                "templates:use",
                arguments.template_use,
                "NAME [NAME=VALUE]…",
            ),
            CommandSpec(
                "remove",
                PROPOSE,
                "forget a template",
                "Remove a template; plans that were made from it stay.",
                (("tandem template remove endpoint", "forget it"),),
                "templates:remove",
                arguments.template_name,
                "NAME",
            ),
        ),
    ),
    CommandSpec(
        "import",
        PROPOSE,
        "a plan from a bundle, exactly as it was exported",
        "Take in a plan that was exported elsewhere: the same operations, bytes, diff and digest, and its comments.\n"
        "It waits for a decision here, whatever was decided there. A file with one changed byte is refused whole.",
        (
            ("tandem import PLAN-1a2b3c4d.tandem-plan", "take it in; nothing is written to your files"),
            ("cat PLAN-1a2b3c4d.tandem-plan | tandem import -", "from standard input"),
        ),
        "templates:import_bundle",
        arguments.import_bundle,
        "FILE|-",
    ),
    CommandSpec(
        "agent",
        PROPOSE,
        "the built-in agent, by ACP on stdin and stdout",
        "Be the agent that comes with Tandem, for Tandem itself or any other client of the agent client protocol.\n"
        "It asks before every change and every command. Without a model it offers the recipes.",
        (
            ("tandem agent", "recipes only"),
            ("TANDEM_MODEL=ollama:qwen3 tandem agent", "with a model on this machine"),
        ),
        "server:agent",
        arguments.agent,
    ),
    *REVIEWING_CALLS,
    CommandSpec(
        "apply",
        RUN,
        "run an approved plan: all of it, or nothing",
        "Run exactly what was approved, under a journal. Ctrl-C stops between two operations and puts everything back\n"
        "(with --on-failure rollback).",
        (
            ("tandem apply PLAN-1a2b3c4d", "all or nothing"),
            ("tandem apply PLAN-1a2b3c4d --commit --branch greeting", "and commit it to a new branch"),
        ),
        "runs:apply",
        arguments.apply,
        "PLAN [--on-failure …] [--commit …]",
    ),
    CommandSpec(
        "runs",
        RUN,
        "what was run here, and what can be undone",
        "List every run of this workspace, newest first.",
        (("tandem runs", "the runs here"),),
        "runs:runs",
    ),
    CommandSpec(
        "undo",
        RUN,
        "take a run back",
        "Put every path the run touched back to what it was: bytes, modes, links. Later edits of yours are kept when\n"
        "they do not overlap; otherwise nothing changes and each path is named.",
        (
            ("tandem undo RUN-1a2b3c4d --preview", "what would happen"),
            ("tandem undo RUN-1a2b3c4d", "take the whole run back"),
            ("tandem undo RUN-1a2b3c4d --op s2", "take one operation back"),
            ("tandem undo RUN-1a2b3c4d --path src/app.py", "take back what it did to one file"),
            ("tandem undo RUN-1a2b3c4d --keep-git", "only the working files; the repository stays as it is"),
            ("tandem undo RUN-1a2b3c4d --with-later", "back to before it: every run since is taken back too"),
        ),
        "runs:undo",
        arguments.undo,
        "RUN [--op ID|--path PATH|--with-later] [--preview]",
    ),
    CommandSpec(
        "commit",
        RUN,
        "commit exactly what a run left",
        "Commit the paths and bytes of a run on top of HEAD. What else is staged or edited stays as it is; hooks and\n"
        "signing are those of your git. Undo takes the commit back too, while it is the last one and not pushed.",
        (("tandem commit RUN-1a2b3c4d -m 'Greet by name' --branch greeting --push", "to a new branch, and push it"),),
        "runs:commit",
        arguments.commit,
        "RUN [-m TEXT] [--branch NAME] [--push]",
    ),
    CommandSpec(
        "redo",
        RUN,
        "bring back what an undo took away",
        "Do an undone run again. Takes the run's own id, or that of its undo.",
        (("tandem redo RUN-1a2b3c4d", "bring it back"),),
        "runs:redo",
        arguments.run,
        "RUN",
    ),
    CommandSpec(
        "recover",
        RUN,
        "settle a run that was cut off",
        "Without a flag, list interrupted runs. With one, settle the run: go on, put all back, cancel, or leave it.",
        (
            ("tandem recover", "is there one?"),
            ("tandem recover --rollback", "put every path back to what it was"),
            ("tandem recover --resume", "go on where it was cut off"),
            ("tandem recover --cancel", "cancel the plan"),
            ("tandem recover --mark-failed", "leave the tree as it is"),
        ),
        "runs:recover",
        arguments.recover,
        "[RUN] [--resume|--rollback|…]",
    ),
    CommandSpec(
        "gc",
        HEALTH,
        "end plans that waited too long, put old ones away",
        "End plans without a decision in time, move plans that ended long ago into .tandem/archive with their runs,\n"
        "and remove stored bytes that no plan, run or session on this machine needs. The settings stale_after_days\n"
        "and retention_days say when. Runs that are put away can no longer be undone; nothing else is lost.",
        (("tandem gc", "do it now; the window does the first two by itself"),),
        "maintenance:gc",
    ),
    CommandSpec(
        "audit",
        HEALTH,
        "check that no record of the audit was changed or removed",
        "Look after the audit log: who approved what, when, and what came of it.",
        (
            ("tandem audit verify", "follow the chain from its beginning"),
            ("tandem audit guard", "what the guard blocked, or would have blocked"),
        ),
        shape="verify|guard",
        parts=(
            CommandSpec(
                "verify",
                HEALTH,
                "follow the chain",
                "Follow the hash chain of the audit log from its beginning. Exit code 1 when it is broken.",
                (("tandem audit verify --json", "ok, records, first_bad"),),
                "maintenance:audit_verify",
            ),
            CommandSpec(
                "guard",
                HEALTH,
                "list the calls of guarded tools",
                "List calls of tools in guarded_tools that were blocked or only logged (guarded_tools_only_logged).",
                (("tandem audit guard --json", "calls, for tuning guarded_tools"),),
                "maintenance:audit_guard",
            ),
        ),
    ),
    CommandSpec(
        "selftest",
        HEALTH,
        "prove on this machine that approved = applied = undoable",
        "Take a generated corpus of plans through propose, approve, apply and undo in temporary folders, and compare\n"
        "every tree with an independent look at the disk. Exit code 1 unless all three figures read 100.",
        (("tandem selftest", "the quick corpus"), ("tandem selftest --full", "the whole corpus")),
        "maintenance:selftest",
        arguments.selftest,
        "[--full]",
    ),
    CommandSpec(
        "doctor",
        HEALTH,
        "look for what could stand in the way, and say how to mend it",
        "Check Python, git, the state folder, the workspace, plans, runs, the audit, the disk, the settings,\n"
        "the libraries of the window, the agents that are here and what holds them back, and a model.",
        (("tandem doctor", "check this workspace"),),
        "doctor:doctor",
    ),
    CommandSpec(
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
