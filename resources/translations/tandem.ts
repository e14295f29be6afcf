<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" sourcelanguage="en">
    <context>
        <name>Tandem</name>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source> MiB</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source> days</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source> h</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source> min</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source> · last message failed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source> · last message was cut off</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>({done}/{n} tasks succeeded)</source>
            <extracomment>Of one: ({done}/{n} task succeeded)</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>**{n} plans**, {waits}.</source>
            <extracomment>Of one: **{n} plan**, {waits}.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>**{title}**, revision {revision}, simulated on the files as they are: every operation would apply.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>**{title}**, revision {revision}, simulated on the files as they are: {n} would not apply.</source>
            <extracomment>Of one: **{title}**, revision {revision}, simulated on the files as they are: {n} would not apply.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>, change {n}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>10 lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <source>10 more</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>25 lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>3 lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A JavaScript tool loads this as code when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A bot or release tool acts on the repository as this says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A build tool reads this and runs what it says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>A check notices each part.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A coding agent starts the servers, hooks and commands that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>A command of your own</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>A command of your own that speaks the Agent Client Protocol, such as my-agent --acp; it is offered beside the agents Tandem knows.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A command that is given * takes this name for an option.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>A comment by {who}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>A comment needs words.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A continuous integration service runs this.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>A file appeared on disk here after this was staged.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A hook manager runs this on commit, push or checkout.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A package manager fetches what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A package manager installs what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>A plan from one of your templates</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>A plan waits for your review</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>A run counts as stalled after</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>A run was interrupted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>A run would stop here: {error}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A server or framework loads this, or the classes and modules it names, when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A settings file at the top of the project: some tool reads it, and it may name code to load.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A shell runs this when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A shell that meets this name without quotes runs what stands in it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>A suggestion, found by likeness. Nothing is taken before you keep it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>A task is under way, or an agent is looked for; try again in a moment.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>A task runner or a configured build runs this, or the programs that it names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>A word back or on, to the end of the line</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>About Tandem</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>About Tandem Desktop</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Accept</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Accept and run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Accepted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Acts on</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Add</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Add PLAN.md</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Add PLAN.md, the text of the plan, to the plan as an operation of its own.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Add a licence header</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Add a model to ask in your own words, or type / for the recipes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Add a model…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Add a step after {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Add a step before {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Add an agent…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Add comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Address</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Address of the model</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Adds it to the end of the plan: it runs in the workspace when you implement the plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Adjustment {number}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Adjustments after failures</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Advice, kept with the plan. It is not in the digest, and decides nothing.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Advisors</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Affected files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>After</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>After failure</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>After how many days without a decision a proposed plan expires.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>After how many minutes a run that was cut off counts as stalled.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>After how many minutes an agent that was asked for advice is ended.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>After how many minutes without a turn an agent is ended, until your next message.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Afterwards</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Agent {title}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Agents are sandboxed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Agents are {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>All</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>All files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Allow for this agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow once</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Allow once; in the bar below the plan: Approve…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow reading this?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow this change?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow this deletion?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow this move?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Allow this once</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow this request to the network?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow this?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allow, then review</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Allowed for this agent. It can try again: tell it to go on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Allowed for this conversation. The agent can try again: tell it to go on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Allowed once</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Also changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Altogether</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Always</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>An agent is at work. Stop it first, or open the workspace anew later.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/reflection_controller.py" />
            <source>An agent is being asked, or looked for; try again in a moment.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>An alternative to r{revision} of {plan_id}. When one of them is applied, the others give way.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>An alternative to r{revision}. Change this one; the other stays as it is.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>An alternative to this plan was applied, and this one gave way. Duplicate it to go on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>An empty file.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>An interpreter or debugger runs this when it starts here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>An interpreter or editor loads this when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Analysis</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Another answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Another plan is being rehearsed; one at a time.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Any agent that speaks the Agent Client Protocol (ACP) on its standard input and output. It works in the same sandbox as the others.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Appearance</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Applies {instead}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Apply</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Apply all recorded effects</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Apply the recorded effects</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Approvals last</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Approve {name} without opening it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Approved</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Approved by {who}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Approve…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Approve… saves this as revision {revision}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Archive</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Are you sure?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>As it would be after the plan, {form}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>As it would be after the plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Ask again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Ask an agent for an order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Ask for a change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Ask for a change, / commands, @ files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Ask for a change, / for commands, @ for files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Ask for no confirmation at all while Plan mode is off. What is flagged still waits as a plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Ask the agent to start a project: its files are held here for your review, and none is written before you approve it. Or open the folder you want to work on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Ask what to change about the plan after its last run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Asked for</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Asking {model} for one word…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Asking {provider} for its models…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/reflection_controller.py" />
            <source>Asking {title} what went wrong…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Asking…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Ask…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>At least {least}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>At most {most}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>At most {most} characters</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>At the top of a project a build or task tool runs this.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>At the top of a project a package manager reads this and installs what it names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>At the top of a project coding agents read this as instructions.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Attach files and pictures</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Attach…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Babel, SWC or PostCSS loads the plug-ins that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Back to before a run (shows what first)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Back to before this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Back to before…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Back to review</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>Base of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>Base, disk and proposed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>Base, disk and proposed, one below another</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>Base, disk and proposed; {states}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Becomes executable</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>Before</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Begin with a README</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Behaviour</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Branch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Branch {branch}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Bring it back as a new revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>Bring r{earlier} back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Build</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Built-in agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>By its name a tool reads this as its settings, which may name code to load.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>By path</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>CMake runs this when the project is configured or built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>CRLF</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Can run code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Cancel</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Cancel plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Cancel the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Cancelled</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Cannot be accepted: {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Cannot be done this way</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>Cannot be previewed: {doubts}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Cannot be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Cards in the conversation, while they have the keyboard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Cargo runs or compiles in what this names when the project is built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Carry out the approved plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Celery imports this when a worker starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>Cell</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>Cell {n}, {kind}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>Cell {n}, {kind}, added</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>Cell {n}, {kind}, removed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>Cells</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Change of {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Change the model…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Change {number} of {count}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>Change {number} of {count} {title}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Change {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>Changed since r{number}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Changed unasked, thrown away</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/view.py" />
            <source>Changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/view.py" />
            <source>Changes in {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>Changes of white space alone are folded, and do not count as seen.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>Characters you would not see are drawn as tokens: {named}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Checks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Checks have not run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Checks when a plan arrives</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Checks: {done} of {total} done.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Checks: {summary}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Choose an agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Choose an agent. It works on a copy; your files change only when you approve.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Choose or type its name</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/inputs.py" />
            <source>Clear search</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Click to copy.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Close</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Close (←)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <source>Close search</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>Close the filter</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Co-author of commits</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Code font</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Code size</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Coding agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>Coding agents read this as instructions, so it can steer what they do later.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Coding agents read this as instructions.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Colour blind dark</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Colour blind light</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Command {command}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Command, effects cannot be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Command, its changes in the workspace can be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Command, runs code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <location filename="../../tandem_desktop/ui/shell/palette.py" />
            <source>Commands</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Commands and flagged operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Commands of the checks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Commands that ran in the shadow</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Commands while planning</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Comment on the plan text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Comment on the whole operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Comment on {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Comments only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Commit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Commit the last run…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Commit this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Commit what it wrote when it has ended</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Committed {commits} to {branch}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Commit…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Compare</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Compare any two…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Compare images</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>Compare revisions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Compare with it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Compare with r{before}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Compared with r{earlier}: {counts} (gone: {gone}).</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Compared with r{earlier}: {counts}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>Comparing…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Compiled and packed code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Complete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Completed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>Completed: {n} files</source>
            <extracomment>Of one: Completed: {n} file</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Completed: {parts}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Completion</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Composer runs the scripts and plug-ins of this on install.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Concerns</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Conflict before</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Conflict {number} of {of}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>Conflict {region} of {max} · {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Conflict {region}: {said}; {count} left open</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Containers and infrastructure</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Content</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Content of {title}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Context (bound by the digest)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Continue</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Continuous integration</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/transcript.py" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Conversation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Conversation only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Conversations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <source>Copied</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Copied the log as it is shown.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Copied. Nothing in it is secret; it names your folders.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Copied: {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <source>Copy code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Copy command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Copy digest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Copy for a bug report</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Copy plan id</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/message_view.py" />
            <source>Copy reply as Markdown</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Copy the command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Copy the command that installs {agent}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Copy the patch of this file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Copy the path</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Copy the paths</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Copy the whole digest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Copy this change as a patch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Cost of one message at most</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Could break</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Coverage and profiling tools load the plug-ins that this names into the tests.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Created</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Credentials</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/message_view.py" />
            <source>Cut here: show {n} more characters</source>
            <extracomment>Of one: Cut here: show {n} more character</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Dark</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Database migrations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Decide later</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Decline</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Declined</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Default agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Delete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/chips.py" />
            <source>Delete removes it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Delete the word, or the line, before the cursor</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Delete this conversation?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Delete to the end of the word, or of the line</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Deleted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Delete…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Deny</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Deny with a reason; in the bar: Discard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Deny…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Deployment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Deployment applies this: what may be reached and what is started.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Details</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Diagnostics could not be written to {file}: {reason}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>Did not apply in the rehearsal: {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Difference</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Digest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Discard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Discard the draft</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Discard the plan</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Discard the plan and its {n} operations?</source>
            <extracomment>Of one: Discard the plan and its {n} operation?</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Discard this draft?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Discard this plan?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Discarded. Nothing was written.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Disk, then proposed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/banners.py" />
            <location filename="../../tandem_desktop/ui/widgets/toast.py" />
            <source>Dismiss</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Do it at once</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Do not block guarded tools; only log what would have been blocked.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Do what the plan proposes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Do {step} again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Documentation build</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Documents, licences</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <location filename="../../tandem_desktop/ui/widgets/progress.py" />
            <source>Done</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Done in the browser</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Draft</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Drafting</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Drag to change the order (Alt+↑, Alt+↓)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Drawing (SVG)…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <source>Drop change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Drop or keep a change; remove an operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Drop or keep the lines one is at</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Drop or keep these lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Drop this change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Drop this command and implement the rest…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Drop this command…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Drop this operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Drop this operation (x)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Drop this operation and implement the rest…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Drop this operation…</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Drop {n} operations</source>
            <extracomment>Of one: Drop {n} operation</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <source>Dropped ✓</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Duplicate as alternative</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Earlier</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>Earlier revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Edit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>Edit and resend</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Edit and resend the last message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Edit in the file…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Edit queued message {n}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Edit the comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Edit the comment {where}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Edit the proposed file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Edit the text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>Edit {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Edited</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Editing an earlier message: it is sent as a new one</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Editor</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Editor settings</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Edit…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Effort</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Emacs evaluates this when it starts or visits a file here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>End the plan. The policy on failure of its run decides about the files.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Ended before it was done.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Ended plans are kept for</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Environment files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Environment files hold passwords and tokens, and programs load them.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Every operation was removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Every run can be undone: here, or later under Runs.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Every run stands here afterwards, and can be undone from here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Everything</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Exact names of tools that may only be used through a plan, such as gmail_send.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Exactly this will be written to {workspace}, and {n} calls made outside it. Nothing else.</source>
            <extracomment>Of one: Exactly this will be written to {workspace}, and {n} call made outside it. Nothing else.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Exactly this will be written to {workspace}. Nothing else.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Executing</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Execution plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Expired</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Explain how this project is built and where it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>External call, effects cannot be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <location filename="../../tandem_desktop/ui/widgets/progress.py" />
            <source>Failed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Fetch shared plans</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Fetch the list</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Fetching shared plans…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Figures of this workspace's plans</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>File</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>File effects in the copy</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>File effects in the copy: {n} operations</source>
            <extracomment>Of one: File effects in the copy: {n} operation</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>File is deleted.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Files and conversation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Files of its log-in</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>Files of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Files only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Files read</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Files read ({count})</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Files that would change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>Filter by path, command or words</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Filter operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Find a plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Find out how it works</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>First mode</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Fit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Flagged</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Format only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>From</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>From {least} to {most}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Further hosts</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Further hosts an agent may reach, by the agent's name, or all, as in network_hosts.opencode = ["docs.example.org", "*.example.net", "127.0.0.1:4010"].</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Gave no answer.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Gave no answer. {reason}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Generated</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Get second opinions on a task, then plan it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Get second opinions…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Getting second opinions: strategy, code, operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Git fetches the repositories that this names, and their code with them.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Git runs the hooks and commands that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Git sends files through the filters, drivers and merge tools that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>GitHub runs this on its events.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>GitLab runs this in its pipelines.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Go back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Go back to</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>Go back to here…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Go back to r{revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Go back to this one</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Go back to your last message…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Go back to “{message}”</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Go fetches the modules and tool chain that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Go on</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Go on from where it stopped, with exactly what was approved.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Go to the latest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>Go to this file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Gradle runs this when the project is opened or built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Graph</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Graph of</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Graph of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/view.py" />
            <source>Graph of what waits for what</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Guarded tools</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Here again at any time: About Tandem</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Hidden characters</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Hide</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Hide the chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Hide the conversations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>Hide white space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>High contrast</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How many agents the window keeps running while they have nothing to do. Others are ended when their turn is over, and resumed with your next message.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How many days a plan that has come to its end is kept, and its runs can be undone.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How many hours an approval can be used.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How many steps a plan that an agent generates or adjusts may have.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How much a captured command may write before it is failed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How often a plan may be adjusted after a failed run before it is left to you.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>How often an agent may hand in a plan that cannot be read before it is told to stop.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>How to rehearse</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Idle agents that are kept</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/progress.py" />
            <source>If an operation fails, everything is rolled back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/progress.py" />
            <source>If an operation fails, the others go on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/progress.py" />
            <source>If an operation fails, the run stops there.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>If something fails</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Ignore white space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Image</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Image (new)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Image (removed)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Images, before and after</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Immediate</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Impact</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Implement</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Implement (opens the approval sheet)</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Implement passes your {n} comments on as notes.</source>
            <extracomment>Of one: Implement passes your comment on as a note.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Implement revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Implement, in an empty message field</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Implement; in a comment, add it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>In changed lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>In the repository: {lines}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Include…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Infrastructure</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Install it with: {install}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Instructs agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Interrupted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Interrupted and rolled back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Interrupted: {done} of {total} operations are done</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Is asked after strategy.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Is asked first.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>It did not run: {error}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>It does the same in both, at another place in the order of {later}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>It ended with exit code {exit_code} after {seconds} s and {changed}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>It is bound by the digest, but only operations run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>It is too large for a card.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>It needs your attention: you acknowledge it in the plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>It runs in the copy now.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It waits for your answer.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>It waits for {tasks}, which were not completed.</source>
            <extracomment>Of one: It waits for {tasks}, which was not completed.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to change a file.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to delete something.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to move something.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to read something.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to run a command.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>It wants to use the network.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>It was cut off while “{command}” ran. Resuming runs that command a second time, whatever it did until then.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>It works: “{answer}” after {seconds} s.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Its journal cannot be read, so it can only be marked as failed. {damage}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Its operations stand by themselves, in the order they will run. An agent may group them into tasks.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Its permissions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Its reason</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Its view of the risk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>JetBrains IDEs run the configurations, watchers and start-up tasks that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Jump to the latest message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <source>Keep</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Keep everything</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Keep it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Keep the agent's version</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Keep the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Keep these lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Keep this change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Keep this operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Keep this operation (x)</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Keep {n} operations</source>
            <extracomment>Of one: Keep {n} operation</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/panes.py" />
            <source>Keep ✓</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Kept as **{name}**. Use it in any workspace: `{usage}`</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Kept in the keyring of your desktop.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Kept in {config}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Kept.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Kept. It holds when the workspace is opened the next time.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Kept; type another to replace it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Key</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Keys</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Keys and certificates</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>LF</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Large</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Larger</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Larger, smaller, all of the graph</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Largest first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Lasting answers</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Lasting answers, each with answer (allow, ask or deny) and patterns for tool, path and command. A denial is final, also in Plan mode.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Later</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Later edits are in the way, so the files cannot go back:</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Later edits overlap in {n} files, so nothing is undone. Put them aside first, then try again.</source>
            <extracomment>Of one: Later edits overlap in {n} file, so nothing is undone. Put them aside first, then try again.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>Later revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Latest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Latin-1</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Leashed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Leave it as it is</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Leave it as it is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Leave out {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Leave the files as they are now and close the run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Leaving out each part in turn, to see whether a check notices…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Left and Right move the swipe; plus, minus and 0 zoom.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Let it really run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Ligatures</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Light</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Light or dark</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>Line</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Line endings change from {before} to {after} ({n} lines).</source>
            <extracomment>Of one: Line endings change from {before} to {after} ({n} line).</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>Lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Lines around changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Link to</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Link until now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Linter and compiler settings</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>List only this folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Loading…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Log</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Log in…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Longest generated plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Longest message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Look at a suggestion…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Looking back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Looking for agents…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Looks at it…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Looks at it…
{doing}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>MSBuild runs the targets that this names when the project is opened or built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Made by</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Make revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Mark as viewed, and go on to the next</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Mark failed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Mark {n} as not viewed</source>
            <extracomment>Of one: Mark {n} as not viewed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Mark {n} as viewed</source>
            <extracomment>Of one: Mark {n} as viewed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Maven, Ant, sbt or another JVM build runs the plug-ins and tasks that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Mechanical</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Mend a test</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Mention a file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Mercurial, Subversion or Perforce runs the hooks and extensions that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Merge</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Merge {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Merge, while the three sides have the keyboard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Minutes an idle agent is kept</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Mode</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Model</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Model of the built-in agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Model: {model}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Models of agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Model…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>More</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>More of it can be read as text.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Move an operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Moved</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Moved from {place}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Moved to {place}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Must match {pattern}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Name</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Name in the list of plans</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Name of the new branch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Needed first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Needs adjustment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Needs attention ({count})</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Needs review</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>Needs you</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Network in rehearsals</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Network of agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Never ask</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>New branch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>New failures</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>New line</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>New plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>New plan from a template…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>New: a directory.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>New: a symbolic link to {target}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>New: {after}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Next change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Next change, on into the next file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Next conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <source>Next match</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Next operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Next pane</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Next thing that matters</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Nix or Guix evaluates this and builds what it says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>No agent has written to its error output.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>No agent is there yet; ask it something first.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>No agent yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>No answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>No branch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/palette.py" />
            <source>No command or plan matches.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>No conversations yet. Ask an agent for a change; it appears here with its plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>No dependencies.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/editor.py" />
            <source>No editor was found. Name one in the settings: editor = 'code -g {path}:{line}'</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>No limit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>No line holds these words.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>No longer applies: {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>No longer asked</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>No newline at the end of the file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>No operation does anything else.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>No operation matches</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>No pixel differs: the files differ in other bytes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>No plan answers to that.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>No plan yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>No run after this point is left to undo; the files are as they were.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>No second opinions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>No tasks: {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>No telemetry: agents talk to their own models, Tandem itself connects to nothing.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>None: this rests on no file of the workspace.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Not accepted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Not allowed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Not installed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Not logged in, and no key was found · {held}. {needs}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Not needed by most</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Not now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Not opened yet: open it with Show, or skip it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Not readable text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Not text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Not text (new)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Not text (removed)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Not viewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Note</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Note, kept with the approval</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Note, kept with the approval (optional)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Notebooks and documents with code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Nothing else can run until this run is settled.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Nothing else changes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Nothing else of yours, with the title of the plan as message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Nothing has been run yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Nothing is kept here of what {role} was asked.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Nothing is left of the plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Nothing is left of this plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Nothing is left to undo: every file is as it was before.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Nothing is new.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Nothing is proposed; the plan stays as it is.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Nothing notices {n} parts.</source>
            <extracomment>Of one: Nothing notices {n} part.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>Nothing of it will be run. Its revisions stay on record; Tandem has changed nothing on disk.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Nothing of this plan is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Nothing of this plan will be run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Nothing on disk changes while the agent drafts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Nothing on disk has changed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Nothing to draw yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>Nothing to redo.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>Nothing to undo.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Nothing was logged yet.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Nothing was run and nothing was written.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Notifications</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Now a symbolic link to {target}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Of revision {revision}; the plan changed since. Rehearse it again.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Off track</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>OmniSharp loads the analyzers that this names when the folder is opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>On</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>On disk now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>On track</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>One column</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Only log guarded tools</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Only pages and mail are opened from a conversation, not {address}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Only the changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Only the list calls it so, on this machine. The plan keeps its own title; an empty name brings that back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Only the working files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Open</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Open (→)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Open a folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Open a folder…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Open a plan by its place</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Open a plan first, or name one: /plan-simulate PLAN</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Open another folder…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Open folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Open in browser</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Open in editor</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Open in the editor</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Open it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Open log</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Open or close an operation</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Open or skip {n} files first</source>
            <extracomment>Of one: Open or skip {n} file first</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Open the alternative {plan_id} · {status}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Open the file…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/app/window.py" />
            <source>Open the log</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Open the plan first that the template is to be made of.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Open the workspace anew</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Open this address in your browser?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Open this conversation as Markdown</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Open what is cut to allow it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Open {folder}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Opened in the browser</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/window_frame.py" />
            <source>Opening {title}…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Opens the approval sheet; nothing runs yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Operation {at} of {total}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Operations appear here as it proposes them. You can read along; deciding comes when it has finished.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Operations done</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>Operations of no task</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Operations of no task · {facts}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Or undo the other files one by one, from the list of what the run changed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Orchestrate</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>Order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Other keys for what the window can do, by the names in docs/keys.md, as in keys.implement = "Ctrl+Alt+I".</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_chip.py" />
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Output</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Output in the rehearsal</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Output of the agent</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Output of the agent ({n} lines)</source>
            <extracomment>Of one: Output of the agent ({n} line)</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Output of the command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Outside the workspace</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>Package</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Package registries</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Packages to install</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Parts of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Paste it here</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Patches (*.patch *.diff);;All (*)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Paths of this commit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Patterns to follow</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Pause</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Paused</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Paused at operation {at} of {total}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Paused: part of this plan is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Permission</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Perspectives</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Picture (PNG)…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Picture {width} × {height}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Plan expired: {title}. There was no decision in time; a new revision brings it back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Plan it first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Plan mode</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Plan mode is off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>Plan mode is off: the agent asks before each change.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>Plan mode is on: what the agent does waits for your approval.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Plan mode on or off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Plan order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Plan retries</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Plan text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Plan text, to be edited</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Plan {number}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <source>Plan {title}, revision {revision}, {state}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Plans</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Plans and runs</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Plans expire after</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Plans here</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Plans of a gateway expire after</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Played once in a copy, {how}; playing it again to see whether it comes out the same.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Plays the plan in a copy, {how}; nothing on disk changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Previous change</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Previous conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <source>Previous match</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Previous operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Previous thing that matters</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Private keys and key stores are kept under this name.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Problem</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Problem: {cause} {next}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Programs keep passwords and access tokens under this name.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Progress of the run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Proposals per plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Proposed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>Proposed file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Proposed, then disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Provider</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Public interface</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Push afterwards</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Push to {remote}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Pushed to {remote}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Pushing…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Put every file back as it was before the run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>Put it back, then send again; or open another folder.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Putting it together into tasks…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Python loads the plug-ins that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Python runs this when the project is built or installed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Python runs this whenever it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Question</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Queued ({count})</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>Rate what was done: 1 to 5</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Rating</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Read a diff as text, and back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Read as text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Ready · {held}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Ready, in your own words and with built-in recipes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Reapplied.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Rebase</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Recent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Recommendations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>Recorded effect of “{command}”, which will not run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Recorded from</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Redo</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Redo a step</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>Redone: {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Reflection</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Reflection after success</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Reflection on {run_id}</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Reflection with {n} adjustments. A number accepts or rejects it.</source>
            <extracomment>Of one: Reflection with {n} adjustment. A number accepts or rejects it.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Reflection: {words}. {reasoning}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Rehearsal of the command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Rehearse</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Rehearse again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Rehearse in a copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Rehearse with network</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Rehearse with network off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Rehearsed in a copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Rehearsed in a copy, {how}: {parts}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Rehearsed {when} in a copy, {how}: {parts}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Rehearsing in a copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Rehearsing revision {revision} in a copy, {how}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Reject</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Rejected</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Remove</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Remove comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Remove queued message {n}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Remove the comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Remove the comment {where}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Remove {agent}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Removed: {before}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Rename</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Rename something in the code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Rename, replace across files, licence headers, apply a patch.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Renamed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>Renamed from {moved_from} to {path}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>Renamed {names}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Rename…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Replace words everywhere</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Replace {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Request changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Request changes instead</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Request changes to revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Resend planning instructions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>Restore</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Result, from what is on disk to what the plan would leave</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Result, from what is on disk to what the plan would leave; {n} conflicts still stand as on disk</source>
            <extracomment>Of one: Result, from what is on disk to what the plan would leave; {n} conflict still stands as on disk</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Resume</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Resume or roll back the interrupted run…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Review</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Review a patch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Review a patch…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Review the plan alone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Review, while the operations or a diff have the keyboard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Review: the plan alone, or all panes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <source>Revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Revision {revision} fits what is on disk: {n} files merged ({named}).</source>
            <extracomment>Of one: Revision {revision} fits what is on disk: {n} file merged ({named}).</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Revision {revision} is not the latest; only revision {latest} can be implemented.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Revision {revision} of {latest}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Rework</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Rework: send all comments</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Risk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>Risk first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Roll back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Rollback</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Rolled back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Room for a command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>Row</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>RubyGems or Bundler evaluates this when it installs or starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Run again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Run checks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>Run for real too</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Run that command a second time</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Run the tests and mend what fails.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Run this command?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Run your hooks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Run your hooks: {names}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <location filename="../../tandem_desktop/ui/widgets/progress.py" />
            <source>Running</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Runs</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Runs of this workspace</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Runs side by side with {commands}; none sees what the others change.</source>
            <extracomment>Of one: Runs side by side with {commands}; neither sees what the other changes.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Runs, while the timeline has the keyboard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Save</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Save as my text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Save as revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Save as template…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Save as…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Save comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Save diagnostics</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>Save my version</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Save the graph</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Save this plan as a template</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Saved {file}. Keys and passwords are blacked out; look through it before you pass it on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Say what is to be done: /orchestrate TASK</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Say what it is to be. The agent works in a copy of this folder: no file is made before you approve it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Say what should be different; an empty request tells the agent nothing.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Say what they should look at: /perspectives TASK</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Scroll to the end of the commands to accept them</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Scroll to the end to allow it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>Scroll to the end to answer it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Scroll to the end to go back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Scroll to the end to go on</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Scroll to the end to undo it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Search</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Search &amp;&amp; commands</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Search and commands</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Search and commands, {key}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/palette.py" />
            <source>Search commands and plans</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Search conversations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <source>Search in these changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Search keys</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Search settings</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Search the log</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Secret</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>See exactly what an agent will do, approve exactly that, get exactly that, take it back.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>See it, approve it, get exactly that.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>See merge</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>See merge of a file that drifted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>See the file from three sides (m)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>See the operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Select several operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Send</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Send again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Send now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>Send now queued message {n}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Send the message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Send to the agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Sent back to the agent, which is making a new revision.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Services</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Set how every editor indents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>Settings</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Settings of a tool</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Settings…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Settle it…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Settle…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Share this plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Shared on {remote}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Sharing…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Shell start-up</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <location filename="../../tandem_desktop/ui/shell/notifier.py" />
            <source>Show</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Show all</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Show all panes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>Show all white space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Show archived</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Show as lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Show as something else than lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>Show changed white space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Show changes of white space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Show commands…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/banners.py" />
            <source>Show one</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Show or hide the chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Show or hide the conversations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Show output</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Show the chat</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Show the conversations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Show the diff of an operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>Show the file as</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Show the log</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Show the record of this conversation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Show {title}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Shrink to what is needed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Side by side</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Sign it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Single letter keys</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Single letters are turned off; the settings change that.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Single letters work only while the operations or a diff have the keyboard; the settings change that.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Size</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Skip</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Skip {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Skip; in the bar: Request changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/progress.py" />
            <source>Skipped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Skipped: {name} was not opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Smaller</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Something else took this place on disk after this was staged.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/app/window.py" />
            <source>Something went wrong inside of Tandem ({fault}). The log says more.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Space marks viewed · a next to read · n/p next change · x drop or keep</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Sphinx runs this when the documentation is built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Split or unified</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Stage</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Start a Python package</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Start a Python package with a first test.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Start a project</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Started by the system</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>State</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Stay here</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>Steps that change nothing</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Steps {done} of {total} are done, started {since}. Nothing else can run until this is settled.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>Stop</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Stop after this operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Stop rehearsal</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Stop the agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Stopping after this operation…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>Stopping…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Strategy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Suggested order: {names}. {reasons}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Suggestions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/transcript.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Superseded</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>Swipe</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Symbolic link</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/about.py" />
            <source>System</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>Table</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>Take a task from a plan to its end, with your decision at every gate; or stop it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Take a task to its end…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Take both: disk first, or proposed first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Take disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Take files with your own uncommitted changes whole</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Take proposed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Take what is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Take what is proposed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>Take {n} files with your own uncommitted changes whole</source>
            <extracomment>Of one: Take {n} file with your own uncommitted changes whole</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Tandem</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/app/window.py" />
            <source>Tandem ended unexpectedly the last time. Plans, drafts and runs are as they were. Details, which were sent nowhere: {report}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>Tandem is still looking for agents; try again in a moment.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Tandem was updated to {version}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>Tandem: {text}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/view.py" />
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>Task {subject}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>Tasks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Tasks and graph, while they have the keyboard</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Tasks of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Templates</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Ten more lines of a fold</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Ten operations take</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Terraform and its kin run providers, modules and commands from this.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Test</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Test runner settings</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Tests</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>Tests that the plan touches: {passed} passed, {failed} failed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>That command</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>That question no longer waits for an answer.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The Ruby tool evaluates this when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>The agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The agent a new session starts with; empty for the built-in one.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>The agent asks for permission</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>The agent asks here before each change. What you allow is written at once, and can be undone.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>The agent asks in the conversation before each change. What you allow is written at once; what is too large or risky for a card waits here as a plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>The agent asks you a question</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>The agent changed its mode to {mode}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The agent did not finish: {incomplete} This revision cannot be approved.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>The agent does not say what it will write.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The agent had an open network while it planned.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>The agent is at work; stop it, or wait for the end of its turn.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>The agent is drafting</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/panel.py" />
            <source>The agent is drafting. Read along; deciding comes when it has finished.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>The agent is told of the planning tools with your next message.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>The agent is working…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>The agent says</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>The agent says: {agent}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>The agent says: {said}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>The agent starts from another text than the one on disk.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/plan_sheets.py" />
            <source>The agent stops where it is, and what it has drafted is forgotten. Tandem has changed nothing on disk.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>The agent that asked will really call it, once, outside the workspace.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The agent was not confined while it planned: it could change other places by itself.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>The agent was not confined; the workspace is unchanged, other places were not looked at</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>The agent was not confined; {n} paths changed on disk</source>
            <extracomment>Of one: The agent was not confined; {n} path changed on disk</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The agent was sent back three times. Decide yourself: approve it, change it, or discard it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>The agent works in a copy of your files. Nothing on disk changes until you have read and approved it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/text_tab.py" />
            <source>The agent wrote this.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The build tool runs this when the project is configured or built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The byte order mark at the beginning is added.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The byte order mark at the beginning is removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>The call in full</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>The checks have not run for this revision.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The colours of the window; system follows the desktop: dark, light or high contrast.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>The command in full</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>The command of your own</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The command that opens a file from a diff, such as code -g {path}:{line}; empty for an editor that is found.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/progress.py" />
            <source>The command was cut off while it ran.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The compiler or build tool of this language runs or loads what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The container is built and started as this says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The content does not change.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The content is empty.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>The conversation could not be written to {file}: {reason}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>The conversation is in {file}. {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>The conversation stays as it is.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The desktop starts what this names, at login or with a click.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The development environment builds and starts what this names when it is opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>The digest is what you approve: it covers everything that will run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>The digest was copied</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The directory becomes a file.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The directory is removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The distribution's tools run this when the package is built, installed or removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The documentation or site builder loads the plug-ins and commands that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The editor starts the language servers, tasks and commands that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>The effects cannot take its place: {refusal}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The encoding changes from {before} to {after}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The face of code and diffs, by its name; empty for the one that comes with Tandem.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>The file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The file becomes a directory.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The file becomes a symbolic link to {target}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>The file changed on disk after it was staged.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>The file stays as it is.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>The file was deleted on disk after this was staged.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>The file's mode changed on disk after it was staged.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>The files changed while you were looking; this is what it would do now.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>The files differ in formatting only: every cell is the same.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>The files differ in formatting only: no package differs.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>The files stay as they are.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>The folder the patch is for</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>The folder {folder} is gone, so nothing was sent.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The hosting platform builds and starts the project as this says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The infrastructure tool runs this against machines and accounts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>The interrupted run is settled.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>The lines of a file that is shown as something else, and back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The linter or formatter loads the plug-ins and commands that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>The list of checks has changed since it was shown; nothing was run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>The log is kept in {folder}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The longest message taken from an agent.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The migration tool runs this against the database.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The mode changes from {before} to {after}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The mode changes from {before} to {after}: it can be run as a program.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The mode changes from {before} to {after}: it can no longer be run as a program.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The mode in which a workspace is first opened: plan (an agent works in a shadow, and you decide once, at the end) or immediate (you are asked about each change). The window remembers what you switch to.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The model of an agent, by the agent's name and in its own spelling, as in models.opencode = "anthropic/claude-sonnet-4-5"; without it the agent chooses.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The network refused the agent {hosts} and {more} more. That is too much to be allowed at once: name what it needs in the setting network_hosts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The network refused the agent {hosts}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The new file can be run as a program (mode {mode}).</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The newline at the end is added.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The newline at the end is removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The package manager loads this and takes packages from where it says.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The package manager of this language installs and builds what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>The path is outside the workspace, or Tandem never writes it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>The plan changed while you were looking. Go back and look at what is new.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>The plan has gone on since; these can no longer be accepted.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>The plan is decided: steps of its review stay as they are.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>The plan of the earlier revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The plan text changed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>The rehearsal was of revision {revision} and is stale here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>The rehearsal was stopped. Nothing on disk has changed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>The repository has moved on, so nothing is undone.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/reflection_controller.py" />
            <source>The revision waits for your review.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>The run of this plan was interrupted and has to be settled.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/progress.py" />
            <source>The run: {status}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The same for plans made through tandem serve; never later than stale_after_days.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/controller.py" />
            <source>The settings file has changed. Some of it holds when the workspace is opened the next time.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/controller.py" />
            <source>The settings name keys for what is not there: {unknown}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The size of code and diffs, in pixels; zoom comes on top.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The symbolic link points to {target} instead of {former}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The symbolic link to {target} becomes a directory.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The symbolic link to {target} becomes a file.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The symbolic link to {target} changes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>The symbolic link to {target} is removed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The system runs this at its times or at start-up.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>The tasks are there; each is now planned by the agent it is for.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>The tasks of a plan stand here, each with its operations.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The terminal or the graphical session runs this when it starts.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The test runner loads this before the tests.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/image.py" />
            <source>The two images</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>The version manager picks, installs or runs what this names when the folder is entered.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>The whole file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>The whole file, or only the changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>The window</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Theme</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Theme: as the system</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Theme: {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>There are no plans here yet, so there is nothing to count.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>There is a link, a folder or something else at the path.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>There is no keyring here: kept in {file}, readable by you only.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>There is no model yet.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>There is no plan to share.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>There is no run to commit.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/reflection_controller.py" />
            <source>There is no run to look back at; open a plan that has run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>There is no run to undo.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>There is no template yet. Open a plan and type `/save-template NAME`; the recipes are always there.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>These are too many files for a card.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>They may only look. What they say becomes the tasks of the plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>Thinking</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>This address is not encrypted.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>This branch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>This command is only in {where}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>This command runs when the plan is implemented.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>This content cannot be edited here: it is larger than 1 MB or no plain UTF-8 text. Drop changes, or comment.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>This document holds code that runs, or output that is drawn, when it is opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This file becomes executable.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>This file is no notebook, or too much of it changes, so it is shown as lines.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>This file is no table, or too large for one, so it is shown as lines.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>This file is not written as its package manager writes it, so it is shown as lines.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>This folder is empty</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>This folder is gone: {folder}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>This folder is read-only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>This folder is read-only: ask and look, but no plan can be kept or applied here</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>This folder is read-only: nothing can be written in it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This has characters that cannot be seen or pass for others, or blanks that can push text out of sight.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>This holds for the turn under way, too.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>This host is written with characters that may look like others.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This is a command, or it can make code run unasked when the project is opened, installed, built, tested or committed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This is a large file, or a change of many lines.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This is a place for secrets, or it adds what looks like a private key, a password or an access token.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This is a symbolic link: whoever opens it reaches another place.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>This is compiled or packed code, which runs when it is loaded, installed or opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This is not readable text, so the diff cannot show what it means.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>This operation is only in {where}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>This picture cannot go along: it cannot be read, or there are eight already.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>This plan expired: there was no decision in time. Tandem has changed nothing on disk.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>This plan has no tasks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>This plan is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>This plan is text: nothing is written now. Its agent carries it out, and what it changes comes to you as a new revision.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>This plan was cancelled. Nothing of it will be run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>This reaches, or may reach, outside the workspace.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>This says where to look, not what is right: what no check covers is noticed by nothing.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>This version comes without notes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Three advisors, for strategy, code and operations, can look at a task before it is planned. They may only read; what they say stands here, and becomes the tasks of the plan.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Tick all {n} boxes to go on</source>
            <extracomment>Of one: Tick the box to go on</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Time for advice</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Time limit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>To</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>To be tested</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>To coordinate</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>To the next task or operation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Today</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Tool</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Tools that need no confirmation</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Tools that need no confirmation while Plan mode is off. What is flagged still waits as a plan.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>Tools wanted and not there</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Transcript</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Transcript of {voice}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Try a sample project</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Try again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>Try again…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Try other words, or list all again.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>Turn Plan mode on or off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>TypeScript and the editor load the plug-ins and settings that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>UTF-16 (big end first)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>UTF-16 (little end first)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>UTF-8</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>Unarchive</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>Undecided</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Undo</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Undo a run (shows what first)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Undo a step: drop, keep, viewed, edit, comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Undo the last run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Undo the working files of this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Undo this file…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Undo this operation…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Undo this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Undo {operation} of this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>Undo {path} of this run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Undone.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Undone. Your files are as they were before this run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Undone: nothing of this plan is on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>Undone: {step}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>Undo…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Unfinished: {incomplete}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Unless simple</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Until now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Use and send again</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Use this model</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>Use this order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Use {agent}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Use…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Usual size</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>VS Code runs tasks, extensions and programs that this names when the folder is opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Variables it may see</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Version control and hooks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/viewers.py" />
            <source>Versions</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>View</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>View plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>View tasks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>View the graph of the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>View the plan of a run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_list.py" />
            <source>Viewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/list_pointer.py" />
            <source>Viewed (Space)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Vim runs this when it starts or opens a file here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Visual Studio reads this when the project is opened and can start what it names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/progress.py" />
            <source>Waiting</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>Waits for</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Wanted to do more, and was refused</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/perspectives.py" />
            <source>Way back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Went back: nothing had to change.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Went back: the files are as they were then and {aside}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Went back: the files are as they were then.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Went back: {aside}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>What a run does when an operation fails: rollback, stop or continue.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>What agents may do</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>What an agent may cost after one message of yours, in the currency it reports; then it is stopped, and your next message lets it go on. 0 sets no limit, and an agent that reports no cost is not stopped.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>What changed in each</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>What does this commit do?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>What else differs</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>What happens to a command an agent wants to run while it plans: run runs it in the shadow and lists it on the plan (an agent that is not confined has it staged instead), stage refuses it and puts it into the plan, deny refuses it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>What is asked</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>What is different</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>What is listed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>What is needed?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>What is new</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>What is new in this version</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>What is new in {version}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>What it is made of, and under which licence</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>What it leaves is the same; its command, mode, base or order of waiting is another in {later}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operation_filter.py" />
            <source>What matters first</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>What of the network a confined agent and all it starts can reach: leashed (the hosts its profile names, the address of its model and what you allow), open (everything) or off.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>What should be different</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>What should be different here?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>What should be different?</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>What the advisors said</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>What the agent would change appears here, for you to read and approve.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>What the plan would do, without doing it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/hazards.toml" />
            <source>What this does cannot be taken back by undo.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>What this run changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>What this run changed: {count}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <source>What to do with the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>What waits for what in a plan is drawn here.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>What was accepted became revision {revision}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>What was done before it is still there.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>What was said, message by message, is in {folder}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>What you accept becomes a new revision. Nothing runs before you have reviewed and approved it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>What you changed is not saved. Esc once more discards it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>What {role} was asked and did is in {file}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>When an agent is asked what to change about a plan whose run failed: after_failure, unless_simple (not for plans of one or two operations), or off (only when you ask for it).</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>When an operation fails</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>When the plan is implemented</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/overview_ruler.py" />
            <source>Where the changes are</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Where the model of the built-in agent is served; empty for the usual address of its provider.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether CHAPO, KODA and DEVO look at a task before it is planned, where the first look at it says that it should be planned.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether a command Tandem rehearses may use the network.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether an agent also looks back at a run that completed: orchestrate (only in tandem orchestrate), always (in the window too), or off. With reflection off it is off.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether code is drawn with ligatures, which make one sign of several characters, such as !=.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether every agent may reach the usual package registries (PyPI, npm, crates.io, Debian and others); off, because what can fetch a package can also tell a server something.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether single letters such as j, n or x do anything while a list or a diff has the keyboard.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether the desktop is told when a decision is needed and the window is not in front.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Whether the window runs the checks of the workspace by itself for each plan; only a list you have accepted is run.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>While it planned, the agent had an open network: it could reach every host and what this machine serves and, on an X11 desktop, press the buttons of this window.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>While it planned, the agent was {confinement}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>White space</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/filters.py" />
            <source>White space ignored</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Who is named in Co-authored-by of a commit of a plan that an agent made, as in co_author = "{agent} &lt;agents@example.org&gt;"; empty for nobody.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Who speaks for a role</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/settings" />
            <source>Who speaks for chapo, koda, devo and other roles, each with agent and model, as in advisors.koda = { agent = "opencode", model = "anthropic/claude-sonnet-4-5" }; without it the agent of the session does.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>Whose lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>Why not, and what instead? The agent is told.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_view.py" />
            <source>Will really run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>Will really run {where}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>Window</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Windows starts what this names when the folder or file is opened.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>With a model it takes requests in your own words. The key goes to this provider only.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>With your choices {step} no longer applies. Drop it too, or keep what it needs.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>With {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>Without {part}: {reason}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>Works without a model for built-in recipes: {recipes}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Workspace {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Wrap lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/actions.py" />
            <source>Wrap long lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Write a README: what this is to be, and how to run it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Write it…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/keys.py" />
            <source>Write lines of your own</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Write tests for the part that has none.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/empty_chat.py" />
            <source>Write what is missing</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>Writing what you approved</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>Xcode runs the scripts and settings in this when the project is built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Yes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>Yesterday</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/rows.py" />
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>You</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>You answered</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>You are looking at revision {revision}. The latest is {latest}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>You can ask and look. A plan can be neither kept nor applied here: give yourself the right to write to the folder, or open another one.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>You can take back only the working files; the repository stays as it is.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>You opened {shown} of {operations} operations.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>You opened {shown} of {operations} operations; {n} folded parts were never expanded.</source>
            <extracomment>Of one: You opened {shown} of {operations} operations; {n} folded part was never expanded.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>You: {text}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>Your agents</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>Your agents…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Your comment</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>Your comment {where}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>Your files are as before.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Your later edits in {paths} were kept.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>Your own choices: {choices}. {following}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Your own lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>Your own lines for this conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>Your rating: {value} of {most}, {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Your signed approval is with it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>Your version of {it} was not taken: another plan is shown by now.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/choices.py" />
            <source>Your version takes the place of the agent's and becomes part of the next revision; nothing on disk changes now.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>Your words go to the agent. It keeps its work and answers with a new revision.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Zoom in</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>Zoom out</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/markdown.py" />
            <source>[image: {name}, not loaded: {source}]</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>a carriage return inside a line</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>a detached HEAD</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>a file of {n} bytes, mode {mode}</source>
            <extracomment>Of one: a file of {n} byte, mode {mode}</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>a folder, mode {mode}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>a part of {what}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>a symbolic link to {target}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>a tool</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>added {line}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>added {number} {line}</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>after {n} operations</source>
            <extracomment>Of one: after {n} operation</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/view.py" />
            <source>after {waits}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>agent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>alternative to r{revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>and ahead of it, for the tests that a plan touches:</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>and {n} external calls, which the agent makes once each; they cannot be undone</source>
            <extracomment>Of one: and {n} external call, which the agent makes once; it cannot be undone</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>and {n} more</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>another checksum for the same version: {before} → {after}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>another order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>another plan text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>another source: {before} → {after}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>answered {when}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>archived</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>as it is</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>asked</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>asks</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>base</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/view.py" />
            <source>before {blocked}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>binary</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>blocks {named}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>branched from r{revision} of {plan_id}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>bytes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>call</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>called</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>can be redone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>can be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>cannot be previewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>cannot be undone: its effects are outside the workspace</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>cannot start</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>change dropped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>change kept</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>changed in mode</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/viewed.py" />
            <source>changed since you looked</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>changed {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>changes no file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>changes the repository</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>changes {n} paths</source>
            <extracomment>Of one: changes {n} path</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>checking…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <source>closed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>command queued</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>comment added</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>comment changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>comment removed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>comments only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>completed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>completed {when}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>conda runs this when the package is built.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>conflict {number}: {words}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>control character {code}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>copied</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not ask</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not delete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not edit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not fetch</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not move</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not put together</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not read</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not search</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not think about</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>could not use</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>create</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>created</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>created as a folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>created {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>critical priority</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>cut off {when} · no answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>damaged, or not an image</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>delete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>deleted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>deleted {path}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>deletes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>did not apply in the rehearsal: {problem}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>direnv or the shell runs this when the folder is entered.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>drafting…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>dropped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>edit</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>edited</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>edited by you</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>edits</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>empty</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>excellent</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>exit code not told</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>exit {code}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>exit {exit_code} in {seconds} s</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>failed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>failed {when}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>fair</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>fetched</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>fetches</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>file edited</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>fixed: {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>format only</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>from {host}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>generated file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>git</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>go on with what does not depend on it</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>gone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>good</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>has no checksum, as others have</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>has uncommitted changes of yours</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>high priority</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>high risk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>icon</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/markdown.py" />
            <source>image</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>in conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>in progress</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>in the workspace</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>in {folder}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>in {n} operations: {kinds}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>in {where} · {seconds} s at most</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>interrupted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>interrupted at {at}/{total} · resume or roll back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>it holds something else by now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>its changes in the workspace are captured and can be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>just now</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>keeps your later edits</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>large effort</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>launchd starts what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>letters of another alphabet that look like Latin ones</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>line {line}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>line {line} before</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>line {n}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>lines {first} to {last}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>lines {first} to {last} before</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>link</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>linked</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>lock file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>low priority</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>low risk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>make runs the commands in this.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>mechanical</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>medium effort</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>medium risk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>merges cleanly</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>metadata of {n} cells</source>
            <extracomment>Of one: metadata of {n} cell</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <source>mixed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>mixed line ends</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>mode</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>move</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>moved</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>moves</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>my-agent --acp</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>name = value</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>network off</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>new</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>new failure: {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>no checksum any more: what is downloaded is not compared with anything</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/comments.py" />
            <source>no longer in the plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>no longer run: {name}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>no model yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>no newline at the end</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>no operations</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>no text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>none</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>none; for example .config/my-agent/auth.json</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>none; for example MY_AGENT_API_KEY</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>not asked, without a whole result with the plan: {names}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>not committed: {reason}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>not drawn, because it refers to something outside of itself</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>not drawn: decoding it failed or took too long</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>not found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>not installed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>not run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>not sandboxed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>not sandboxed: {reason}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>not there</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <source>not viewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>nothing</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>nothing in conflict</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>nothing notices: {place}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <source>nothing that is still there</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>nothing to count yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>npm runs the scripts of this and installs what it names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>of the alternative {plan_id}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>of this plan</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>on {day}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>only what the run changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>open</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>open: choose below</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <source>opened</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>operations in another order</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>pip installs what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <source>plain code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>plan text edited</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>poor</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>proposed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>put back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>put together</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>puts together</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>pytest imports this before the tests.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>ran</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>read</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>reads</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>recipe</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>recorded effect</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>rehearsed in a copy:</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>rehearsing in a copy:</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>remove</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>removed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>removed {line}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>removed {number} {line}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>renamed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>resolved</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>restore</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <source>revision {revision}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>roll everything back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>rolled back</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>rolled back, nothing on disk has changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>row {n} added</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>row {n} removed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/domain/operations.py" />
            <source>run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>running</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>runs</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>runs a script when it is installed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>runs…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>r{number} · latest</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>r{number}, as a new revision</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>sandboxed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>sandboxed, open network</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>searched</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>searches</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/about.py" />
            <source>see its own license files</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>shown smaller</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>skipped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>small effort</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>ssh runs the commands and uses the keys that this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>staged</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>staged delete</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>staged move</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>stale, rehearsed as revision {revision}:</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>stays</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>stop and leave what is done</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>stopped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>stopped {when}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>systemd starts what this names.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <source>text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>the agent that asked, once, after approval</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>the alternative’s {earlier}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>the name of its program</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>the operations are the same</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>the whole file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>the workspace</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>the workspace itself</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>there are no commands; every step applies</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>thinks about</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>thought about</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/compare_sheet.py" />
            <source>to</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>too large to be drawn</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/perspectives/tab.py" />
            <source>trivial effort</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../resources/path_rules.toml" />
            <source>udev runs the programs that this names when a device appears.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>undo</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>undo available</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>undone · can be redone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>used</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/tool_text.py" />
            <source>uses</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>verified</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/widgets/rating_stars.py" />
            <source>very good</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <source>viewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/view.py" />
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>waiting</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>waiting for your answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>waits for its turn in the copy</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>waits for {named}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>what it does cannot be undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>will not run; this is what it did in the rehearsal</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>will really run</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/completion.py" />
            <source>window</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>with network</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>with {name}={value}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/plans.py" />
            <source>working…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>would apply</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>yesterday</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>your own lines</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/reflection_card.py" />
            <source>{accepted} of {count} accepted.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <source>{added} added, {removed} removed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>{added}, {removed} removed, {changes}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>{agent} asks you</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>{agent} asks: {question}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{agent} cannot start: {program} was not found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>{agent} finds the order good as it is: {reasons}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>{agent} is added. It is in the menu of agents.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>{agent} is added; {program} was not found.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/main_window.py" />
            <source>{agent} is not installed here; messages go to {other}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>{agent} is removed. Its plans stay.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} is resumed…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} is starting; slow agents take 5 to 20 seconds</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} is working…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} logs in…</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} offers no login here; use its own command.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{agent} ready · {held}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/tasks/tab.py" />
            <source>{agent} suggests the order {names}: {reasons}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{agent} waits for your answer</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>{author} on line {line}: {text}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>{change}, dropped</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{commands}, after {files}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{commands}, in between the file changes</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>{conflicts} still open in {files}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <source>{count} on top of {branch}. Your other changes stay as they are.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/search.py" />
            <source>{current} of {total}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/pane.py" />
            <source>{doing}   Esc stops</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{done} of {total} changes mechanical</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_text.py" />
            <source>{done} of {total} operations of this plan are on disk</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>{done} · committed {commits}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/editor.py" />
            <source>{editor} could not be started. Look at the setting editor.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>{failed} of {n} commands would fail</source>
            <extracomment>Of one: {failed} of {n} command would fail</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>{family}, bundled</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>{field} (needed)</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{field} of {n} cells</source>
            <extracomment>Of one: {field} of {n} cell</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/question_card.py" />
            <source>{field} {problem}.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{field}: no longer {value}</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>{folder} and {n} other folders</source>
            <extracomment>Of one: {folder} and {n} other folder</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <location filename="../../tandem_desktop/ui/shell/sheets.py" />
            <source>{found} found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/code_block.py" />
            <source>{language} code</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/controller.py" />
            <source>{model} is used from the next message on.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>{named} and {n} more kinds</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/i18n.py" />
            <source>{names} and {n} more</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{name} is not in this workspace.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/editor.py" />
            <source>{name} is not on disk yet; it comes into being when the plan is implemented.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>{name} on line {line}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/text.py" />
            <source>{name}, as text</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{name}, from {before} to {after}. {notes}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} added</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{n} agents that are not installed</source>
            <extracomment>Of one: {n} agent that is not installed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/special.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_content.py" />
            <source>{n} bytes</source>
            <extracomment>Of one: {n} byte</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>{n} cannot be previewed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{n} cells differ</source>
            <extracomment>Of one: {n} cell differs</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>{n} changes</source>
            <extracomment>Of one: {n} change</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} changes dropped</source>
            <extracomment>Of one: {n} change dropped</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} changes stayed folded, proved to be mechanical.</source>
            <extracomment>Of one: {n} change stayed folded, proved to be mechanical.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} checks without a whole result</source>
            <extracomment>Of one: {n} check without a whole result</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>{n} commands</source>
            <extracomment>Of one: {n} command</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>{n} commands ran</source>
            <extracomment>Of one: {n} command ran</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>{n} commands ran in the shadow, the last one {outcome}. They are not run again.</source>
            <extracomment>Of one: {n} command ran in the shadow, {outcome}. It is not run again.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>{n} commands run</source>
            <extracomment>Of one: {n} command run</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/operations.py" />
            <location filename="../../tandem_desktop/ui/plan/footer.py" />
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>{n} comments</source>
            <extracomment>Of one: {n} comment</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{n} comments not sent yet</source>
            <extracomment>Of one: {n} comment not sent yet</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>{n} comments will be sent along:</source>
            <extracomment>Of one: {n} comment will be sent along:</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>{n} conflicts</source>
            <extracomment>Of one: {n} conflict</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} days ago</source>
            <extracomment>Of one: {n} day ago</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>{n} dropped</source>
            <extracomment>Of one: {n} dropped</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>{n} empty lines added</source>
            <extracomment>Of one: {n} empty line added</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>{n} empty lines changed</source>
            <extracomment>Of one: {n} empty line changed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>{n} empty lines removed</source>
            <extracomment>Of one: {n} empty line removed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{n} entries after this message will be set aside: folded, not deleted. The agent still remembers.</source>
            <extracomment>Of one: {n} entry after this message will be set aside: folded, not deleted. The agent still remembers.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/transcript.py" />
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>{n} entries set aside</source>
            <extracomment>Of one: {n} entry set aside</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{n} execution counts</source>
            <extracomment>Of one: {n} execution count</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>{n} external calls</source>
            <extracomment>Of one: {n} external call</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>{n} external calls made</source>
            <extracomment>Of one: {n} external call made</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{n} fields of the notebook itself</source>
            <extracomment>Of one: {n} field of the notebook itself</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{n} file changes</source>
            <extracomment>Of one: {n} file change</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} files</source>
            <extracomment>Of one: {n} file</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>{n} files changed on disk since staging. Rebase the plan, or put them back first.</source>
            <extracomment>Of one: {n} file changed on disk since staging. Rebase the plan, or put it back first.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/workspace_controller.py" />
            <source>{n} files drifted since staging</source>
            <extracomment>Of one: {n} file drifted since staging</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>{n} files drifted since staging ({named}). The plan cannot be implemented as it is.</source>
            <extracomment>Of one: {n} file drifted since staging ({named}). The plan cannot be implemented as it is.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>{n} files edited</source>
            <extracomment>Of one: {n} file edited</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} fixed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>{n} flagged</source>
            <extracomment>Of one: {n} flagged</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} h ago</source>
            <extracomment>Of one: {n} h ago</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>{n} ignored files are not part of the plan.</source>
            <extracomment>Of one: {n} ignored file is not part of the plan.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/shadow_rows.py" />
            <source>{n} ignored files in {folder} are not part of the plan.</source>
            <extracomment>Of one: {n} ignored file in {folder} is not part of the plan.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} lines</source>
            <extracomment>Of one: {n} line</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/model.py" />
            <source>{n} lines added</source>
            <extracomment>Of one: {n} line added</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} lines differ in formatting only</source>
            <extracomment>Of one: {n} line differs in formatting only</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} lines left out</source>
            <extracomment>Of one: {n} line left out</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} lines only moved</source>
            <extracomment>Of one: {n} line only moved</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>{n} marked as not viewed</source>
            <extracomment>Of one: {n} marked as not viewed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>{n} marked as viewed</source>
            <extracomment>Of one: {n} marked as viewed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} messages that were there before…</source>
            <extracomment>Of one: {n} message that was there before…</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/wording.py" />
            <source>{n} min ago</source>
            <extracomment>Of one: {n} min ago</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/settings/agent_setup.py" />
            <source>{n} models offered.</source>
            <extracomment>Of one: {n} model offered.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/widgets/banners.py" />
            <source>{n} more</source>
            <extracomment>Of one: {n} more</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{n} more are in the list at the left.</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{n} more operations are in the plan.</source>
            <extracomment>Of one: {n} more operation is in the plan.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} new checksums</source>
            <extracomment>Of one: new checksum</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>{n} new failures</source>
            <extracomment>Of one: {n} new failure</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} new lint errors</source>
            <extracomment>Of one: {n} new lint error</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} new notes</source>
            <extracomment>Of one: {n} new note</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} new type errors</source>
            <extracomment>Of one: {n} new type error</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/checks.py" />
            <source>{n} new warnings</source>
            <extracomment>Of one: {n} new warning</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/plan_card.py" />
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>{n} operations</source>
            <extracomment>Of one: {n} operation</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal.py" />
            <source>{n} operations did not apply</source>
            <extracomment>Of one: {n} operation did not apply</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>{n} operations dropped</source>
            <extracomment>Of one: {n} operation dropped</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/review_history.py" />
            <source>{n} operations kept</source>
            <extracomment>Of one: {n} operation kept</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{n} operations not viewed yet.</source>
            <extracomment>Of one: {n} operation not viewed yet.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} other lines, as they stand in the file</source>
            <extracomment>Of one: {n} other line, as it stands in the file</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} packages changed</source>
            <extracomment>Of one: {n} package changed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/commit_sheet.py" />
            <location filename="../../tandem_desktop/ui/plan/runs_tab.py" />
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{n} paths</source>
            <extracomment>Of one: {n} path</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>{n} pictures, the first is shown</source>
            <extracomment>Of one: {n} picture, the first is shown</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>{n} pixels differ ({share} %)</source>
            <extracomment>Of one: {n} pixel differs ({share} %)</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>{n} plans have news.</source>
            <extracomment>Of one: {n} plan has news.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>{n} recorded effects instead of running {commands}</source>
            <extracomment>Of one: {n} recorded effect instead of running {commands}</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <location filename="../../tandem_desktop/ui/diff/versions.py" />
            <source>{n} removed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>{n} rows also differ in formatting (quotes or line ends)</source>
            <extracomment>Of one: {n} row also differs in formatting (quotes or line ends)</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>{n} rows changed</source>
            <extracomment>Of one: {n} row changed</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{n} runs will be undone as one; {paths} will be as before. Nothing else is touched.</source>
            <extracomment>Of one: {n} run will be undone as one; {paths} will be as before. Nothing else is touched.</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{n} runs will be undone, with {paths}:</source>
            <extracomment>Of one: {n} run will be undone, with {paths}:</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/tasks.py" />
            <source>{n} tasks</source>
            <extracomment>Of one: {n} task</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>{n} to read</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{n} wait for you</source>
            <extracomment>Of one: {n} waits for you</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/page_text.py" />
            <source>{page} was edited by hand. It is a page for reading: what is approved and applied is {record}. To change the plan, request changes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/rehearsal_text.py" />
            <source>{paths} and the repository</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{paths} and the repository will be as before the run. Nothing else is touched.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/undo_sheet.py" />
            <source>{paths} will be as before the run. Nothing else is touched.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/top_bar.py" />
            <source>{path}
Open another folder</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>{path} changed on disk after it was staged; both changes keep apart and fit together.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>{path} could not be written: {strerror}. Choose another place.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/sheet.py" />
            <source>{path} {reason}. Nothing is guessed: you say what stands.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{program} was not found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{program}, which runs it, was not found</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/welcome.py" />
            <source>{program}, which runs it, was not found. Install that, or install {agent} again: {install}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>{question} {subject}. 1 allows once, 2 skips, 3 denies with a reason.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{rate} ({part} of {whole} ended plans)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{rate} ({part} of {whole} tried)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{rating} of 5 ({count} rated)</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan_controller.py" />
            <source>{remote} has it.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>{result}, exit {code}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/slash_commands.py" />
            <source>{runs}, {undone} undone</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>{share} % of the drawing differs</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>{side}: no file</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/graph/tab.py" />
            <source>{subject} failed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{text} ⋯ {n} more characters</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{title} connected</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/turn_controller.py" />
            <source>{title} has no model yet</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{told}; all side by side</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/notebooks.py" />
            <source>{told}; only cells and outputs are shown here, the lines show all</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/approval_sheet.py" />
            <source>{told}; {n} side by side</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>{totals}. Copy the digest {digest}</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>{used} of {size} tokens of the agent's context</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>{used} of {size} tokens of the agent's context. It is nearly full.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>{used} tokens</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/folder_tree.py" />
            <source>{viewed} of {every} viewed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/header.py" />
            <source>{viewed} of {total} viewed</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/models/runs.py" />
            <source>{what} and {n} later runs</source>
            <extracomment>Of one: {what} and {n} later run</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/cards.py" />
            <source>{why} What the agent changes waits for you as a plan; nothing is written before that.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/decoded_images.py" />
            <source>{width} × {height} pixels</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/composer.py" />
            <source>{words} goes with the next message</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/settings/sheet.py" />
            <source>“{line}” is no pair: write name = value. Nothing was changed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/shell/plans_rail.py" />
            <source>“{name}” and what the agent said are deleted for good. No file changes.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>“{operation}” failed.</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>“{plan}” was interrupted</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <location filename="../../tandem_desktop/ui/plan/sheets.py" />
            <source>… and {n} more</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/plan/operations_tab.py" />
            <source>… and {n} more: filter by Flagged</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/tool_chip.py" />
            <source>… {n} characters before this are not shown here</source>
            <extracomment>Of one: … {n} character before this is not shown here</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/plan/operation_delegate.py" />
            <source>… {n} lines above; open to read them all</source>
            <extracomment>Of one: … {n} line above; open to read them all</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/chat/entries.py" />
            <source>… {n} more characters were sent; Edit and resend shows them</source>
            <extracomment>Of one: … {n} more character was sent; Edit and resend shows it</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>⋯ White space only · {n} lines hidden</source>
            <extracomment>Of one: ⋯ White space only · {n} line hidden</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/tables.py" />
            <source>⋯ unchanged rows</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>⋯ {cut} more</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/diff/options.py" />
            <source>⋯ {cut} more, changed</source>
            <translation type="unfinished" />
        </message>
        <message>
            <location filename="../../tandem_desktop/ui/merge/view.py" />
            <source>⋯ {folded} unchanged lines</source>
            <translation type="unfinished" />
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>⋯ {n} changes in bytes that are no text · show</source>
            <extracomment>Of one: ⋯ {n} change in bytes that are no text · show</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
        <message numerus="yes">
            <location filename="../../tandem_desktop/ui/diff/painter.py" />
            <source>⋯ {n} unchanged lines</source>
            <extracomment>Of one: ⋯ {n} unchanged line</extracomment>
            <translation type="unfinished">
                <numerusform />
            </translation>
        </message>
    </context>
</TS>
