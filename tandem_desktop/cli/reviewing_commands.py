"""The table of commands that look at plans, revise them and decide about them."""

from tandem_desktop.cli import arguments
from tandem_desktop.cli.arguments import CHANGE, DECIDE, LOOK, CommandSpec

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
        "why",
        LOOK,
        "which run, plan and approval wrote a line",
        "Follow a line back through later edits, renames and runs: who planned it, who approved it, and its commit.",
        (("tandem why src/app.py:12", "where line 12 comes from"),),
        "show:why",
        arguments.why,
        "FILE:LINE",
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
        "share",
        DECIDE,
        "hand a plan to the people of this repository",
        "Push the plan, your comments and, signed with your SSH key, your approval of its latest revision to a\n"
        "remote, as a reference under refs/tandem/. They see the same diff and the same digest. No branch is touched.",
        (("tandem share PLAN-1a2b3c4d", "to the remote you push to"),),
        "sharing:share",
        arguments.share,
        "PLAN [--remote NAME]",
    ),
    CommandSpec(
        "fetch",
        DECIDE,
        "take in shared plans, comments and approvals",
        "Fetch what was shared on a remote. Comments become drafts here; an approval counts if its signer is one of\n"
        "git's allowed signers, for exactly this revision, repository and folder. No file of the workspace is touched.",
        (("tandem fetch", "what is new"),),
        "sharing:fetch",
        arguments.remote,
        "[--remote NAME]",
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
