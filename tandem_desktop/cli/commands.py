"""The table of commands."""

from tandem_desktop.cli import arguments
from tandem_desktop.cli.arguments import HEALTH, PROPOSE, RUN, CommandSpec
from tandem_desktop.cli.reviewing_commands import REVIEWING_CALLS

MAIN_CALLS = ("propose", "review", "run", "list", "show", "approve", "reject", "apply", "undo", "recover")
"""The way of every change, in its order; `tandem --help` explains these and names the others."""


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
        "train",
        RUN,
        "apply several approved plans, one after the other",
        "Apply approved plans in this order, each rebased onto what the ones before it left and checked there, where\n"
        "you have accepted checks. An approval goes along only where the rebased plan is provably the same patch; the\n"
        "first plan that conflicts, is no longer that patch, or makes a check fail stops the train.",
        (
            ("tandem train PLAN-1a2b3c4d PLAN-5e6f7a8b", "the second on what the first left"),
            ("tandem overlaps", "which plans would meet"),
        ),
        "runs:train",
        arguments.train,
        "PLAN… [--no-checks]",
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
        "verify",
        RUN,
        "whether commits are what was approved",
        "Check commits by the signed statements about them, offline and without anything else of Tandem: each path is\n"
        "what was approved, the digest is that of the approval, and somebody whose signature counts signed it.",
        (("tandem verify HEAD", "one commit"), ("tandem verify main..topic --allowed-signers signers", "in CI")),
        "runs:verify",
        arguments.verify,
        "COMMIT… [--allowed-signers FILE]",
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
        "end plans that waited too long, archive old ones",
        "End plans without a decision in time, move plans that ended long ago into .tandem/archive with their runs,\n"
        "and remove stored bytes that no plan, run or session on this machine needs. The settings stale_after_days\n"
        "and retention_days say when. Archived runs can no longer be undone; nothing else is lost.",
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
