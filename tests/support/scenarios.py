"""What a scripted model says, step by step, in the words of whichever agent is asking.

One scenario drives several agents: each names its tools and their arguments differently, so a call is written once
in plain words and spoken in the dialect the agent declares.
"""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Properties = Mapping[str, Any]
"""The arguments a declared tool takes."""


@dataclass(frozen=True)
class Call:
    """A tool call in plain words; a tool written `*name` is any declared tool whose name ends so."""

    tool: str
    words: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One answer of the model: some text, then perhaps calls."""

    text: str
    calls: tuple[Call, ...] = ()
    holds: bool = False
    """After its text the answer stays open until the model is released or stopped."""


@dataclass(frozen=True)
class Answer:
    """A step as the asking agent understands it: declared tool names with their own arguments."""

    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    holds: bool = False


_HELLO = Call("write", {"path": "{cwd}/hello.py", "content": "print('hello')\n"})
_BUMP = Call("edit", {"path": "{cwd}/app.py", "old": "x = 1", "new": "x = 42", "why": "bump"})
_READ_APP = Call("read", {"path": "{cwd}/app.py"})
_PLAN = Call("*present_plan", {"title": "T", "summary": "S", "steps": ["a", "b"]})
_PRESENTED = Call("*present_plan", {"title": "Two files", "plan_content": "# Two files\n\nOne new, one changed."})
_PROPOSED = Call(
    "*plan_propose",
    {
        "title": "Two files",
        "summary": "One new, one changed.",
        "tasks": [{"id": "t1", "subject": "Say hello"}],
        "steps": [
            {
                "description": "Say hello",
                "tool": "write",
                "args": {"path": "hello.py", "content": "print('hello')\n"},
                "task": "t1",
            },
            {
                "description": "Bump it",
                "tool": "edit",
                "args": {"path": "app.py", "old_string": "x = 1", "new_string": "x = 42"},
            },
            {"description": "Try it", "tool": "bash", "args": {"command": "python3 app.py > out.txt"}},
        ],
    },
)

SCENARIOS: Mapping[str, tuple[Step, ...]] = {
    "write": (Step("I will create hello.py.", (_HELLO,)), Step("Finished the write.")),
    "edit": (Step("Reading first.", (_READ_APP,)), Step("Now editing.", (_BUMP,)), Step("Finished the edit.")),
    "bash": (
        Step(
            "Running a command.",
            (Call("bash", {"command": "echo hi > made_by_bash.txt && cat made_by_bash.txt", "why": "make file"}),),
        ),
        Step("Finished the bash."),
    ),
    "seq": (
        Step("Reading.", (_READ_APP,)),
        Step("Write.", (_HELLO,)),
        Step("Edit.", (_BUMP,)),
        Step("Bash.", (Call("bash", {"command": "echo hi > made_by_bash.txt", "why": "make file"}),)),
        Step("Read back.", (Call("read", {"path": "{cwd}/hello.py"}),)),
        Step("Finished the sequence."),
    ),
    "two-files": (
        Step("Reading.", (_READ_APP,)),
        Step("Write.", (_HELLO,)),
        Step("Edit.", (_BUMP,)),
        Step("Finished both."),
    ),
    "parallel": (
        Step(
            "Three at once.",
            (
                Call("write", {"path": "{cwd}/p1.txt", "content": "one\n"}),
                Call("write", {"path": "{cwd}/p2.txt", "content": "two\n"}),
                Call("bash", {"command": "echo three > p3.txt", "why": "third"}),
            ),
        ),
        Step("Finished parallel."),
    ),
    "mcp": (Step("Proposing a plan.", (_PLAN,)), Step("Plan was presented.")),
    "planning-tools": (
        Step("Handing in the steps.", (_PROPOSED,)),
        Step("Presenting them.", (_PRESENTED,)),
        Step("The plan is with you."),
    ),
    "escape": (
        Step("Write.", (Call("write", {"path": "{cwd}/hello.py", "content": "print(1)\n"}),)),
        Step(
            "Trying outside.",
            (Call("bash", {"command": "echo in > inside.txt; echo bad > {cwd}/../ESCAPE.txt", "why": "x"}),),
        ),
        Step("Finished escape."),
    ),
    "text": (Step("Just text."),),
    "hold": (Step("Thinking for a long time.", holds=True),),
}


_REMARK = "<info-msg>"


def answer_to(
    messages: Iterable[tuple[str, str]],
    declared: Mapping[str, Properties],
    scenarios: Mapping[str, tuple[Step, ...]] = SCENARIOS,
) -> Answer:
    """What the model says next.

    The last user text chooses the script with `[[scenario:NAME]]` and `[[cwd:/absolute/path]]` (one called `NAME-koda`
    wins when KODA is asked, `NAME-t1` for a task, and so on); the number of
    answers after it is the step. Some agents keep one answer as several messages, its text and each of its calls, with
    remarks of their own in between, so messages of the assistant in a row count as one. Nothing is remembered between
    requests.
    """
    messages = list(messages)
    chosen = [place for place, (role, text) in enumerate(messages) if role == "user" and "[[scenario:" in text]
    if not chosen:
        return Answer("Title: scripted session")
    text = messages[chosen[-1]][1]
    name = re.findall(r"\[\[scenario:([\w-]+)\]\]", text)[-1]
    if not declared:
        return Answer(f"Title: {name}")
    folder = (re.findall(r"\[\[cwd:([^\]]+)\]\]", text) or ["."])[-1]
    steps = scenarios.get(f"{name}-{_part(text)}") or scenarios[name]
    roles = [role for role, text in messages[chosen[-1] :] if not text.startswith(_REMARK)]
    done = sum(role == "assistant" != before for before, role in itertools.pairwise(roles))
    step = steps[min(done, len(steps) - 1)]
    return Answer(step.text, tuple(_spoken(call, declared, folder) for call in step.calls), step.holds)


_PARTS = (("You are CHAPO again", "synthesis"), ("You are CHAPO,", "chapo"), ("You are KODA,", "koda"))


def _part(text: str) -> str:
    """Of a task that several advisors look at, the part this question is: a scenario may have a script for each."""
    if found := re.findall(r"Your task now: ([\w-]+)", text):
        return str(found[-1])
    return next((part for words, part in (*_PARTS, ("You are DEVO,", "devo")) if words in text), "whole")


_VERBS = {"view": "view", "create": "create", "str_replace": "str_replace", "low": "LOW"}
"""Words that stand for themselves, in tools that take what to do as an argument."""
_HARMLESS = {"security_risk": "low"}
_DIALECTS: Mapping[str, tuple[tuple[str, Mapping[str, str]], ...]] = {
    "write": (
        ("write", {"filePath": "path", "content": "content"}),
        ("Write", {"file_path": "path", "content": "content"}),
        ("write_file", {"path": "path", "content": "content"}),
        ("write_text_file", {"path": "path", "content": "content"}),
        ("create", {"path": "path", "file_text": "content"}),
        ("apply_patch", {"input": "added"}),
        ("file_editor", {"command": "create", "path": "path", "file_text": "content", **_HARMLESS}),
    ),
    "edit": (
        ("edit", {"filePath": "path", "oldString": "old", "newString": "new", "edits": "edits"}),
        ("Edit", {"file_path": "path", "old_string": "old", "new_string": "new"}),
        ("search_replace", {"file_path": "path", "content": "markers"}),
        ("edit_file", {"file_path": "path", "old_string": "old", "new_string": "new"}),
        ("replace", {"file_path": "path", "old_string": "old", "new_string": "new", "instruction": "why"}),
        ("apply_patch", {"input": "patch"}),
        ("write_text_file", {"path": "path", "content": "whole"}),
        ("file_editor", {"command": "str_replace", "path": "path", "old_str": "old", "new_str": "new", **_HARMLESS}),
    ),
    "read": (
        ("read", {"filePath": "path"}),
        ("Read", {"file_path": "path"}),
        ("read_file", {"path": "path"}),
        ("read_text_file", {"path": "path"}),
        ("view", {"path": "path"}),
        ("read_files", {"files": "files"}),
        ("file_editor", {"command": "view", "path": "path", **_HARMLESS}),
        ("exec_command", {"cmd": "cat"}),
    ),
    "bash": (
        ("bash", {"command": "command", "description": "why"}),
        ("Bash", {"command": "command", "description": "why"}),
        ("run_shell_command", {"command": "command", "description": "why"}),
        ("shell", {"command": "command"}),
        ("execute", {"command": "command"}),
        ("run_commands", {"commands": "commands"}),
        ("terminal", {"command": "command", **_HARMLESS}),
        ("exec_command", {"cmd": "command"}),
    ),
}
"""Per plain tool: the names agents give it, and which plain word fills which of their arguments."""

_SAME_ARGUMENT = (
    ("filePath", "file_path", "path", "absolute_path"),
    ("oldString", "old_string", "old_str", "before"),
    ("newString", "new_string", "new_str", "after"),
)


def _spoken(call: Call, declared: Mapping[str, Properties], folder: str) -> tuple[str, dict[str, Any]]:
    words = {word: _placed(value, folder) for word, value in call.words.items()}
    if call.tool.startswith("*"):
        ending = call.tool[1:]
        return next((name for name in declared if name.endswith(ending)), ending), words
    if call.tool not in _DIALECTS:
        return call.tool, words
    if "old" in words:
        words["edits"] = [{"oldText": words["old"], "newText": words["new"]}]
        words["markers"] = f"<<<<<<< SEARCH\n{words['old']}\n=======\n{words['new']}\n>>>>>>> REPLACE"
        hunk = f"@@\n-{words['old']}\n+{words['new']}"
        words["patch"] = f"*** Begin Patch\n*** Update File: {words['path']}\n{hunk}\n*** End Patch\n"
    if call.tool == "read":
        words |= {"cat": f"cat {words['path']}", "files": [{"path": words["path"]}]}
    if call.tool == "bash":
        words["commands"] = [words["command"]]
    if call.tool == "write":
        lines = "".join(f"+{line}\n" for line in words["content"].splitlines())
        words["added"] = f"*** Begin Patch\n*** Add File: {words['path']}\n{lines}*** End Patch\n"
    words = _VERBS | words
    dialects = _DIALECTS[call.tool]
    tool, arguments = next((dialect for dialect in dialects if dialect[0] in declared), dialects[0])
    spoken = {
        _argument(name, declared.get(tool) or {}): words[word] for name, word in arguments.items() if word in words
    }
    return tool, {name: value for name, value in spoken.items() if name}


def _placed(value: Any, folder: str) -> Any:
    return value.replace("{cwd}", folder) if isinstance(value, str) else value


def _argument(name: str, properties: Properties) -> str:
    """The agent's own name for an argument; empty when it takes no such thing."""
    if not properties or name in properties:
        return name
    others = next((group for group in _SAME_ARGUMENT if name in group), ())
    return next((other for other in others if other in properties), "")
