"""All keyboard shortcuts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtGui import QKeySequence

from tandem_desktop.ui.i18n import later


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One action and its keys."""

    name: str
    title: str
    group: str
    keys: tuple[str, ...]

    @property
    def shown(self) -> str:
        """Its keys in the system's notation."""
        return "  ".join(map(native, self.keys))


WINDOW, PLAN, TALK = later("Window"), later("Plan"), later("Conversation")
REVIEW = later("Review, while the operations or a diff have the keyboard")
MERGE = later("Merge, while the three sides have the keyboard")
RUNS = later("Runs, while the timeline has the keyboard")
GRAPH = later("Tasks and graph, while they have the keyboard")
DECIDE = later("Cards in the conversation, while they have the keyboard")

KEYS: tuple[KeyLine, ...] = (
    KeyLine("palette", later("Search commands and plans"), WINDOW, ("Ctrl+Shift+P",)),
    KeyLine("keys", later("Keys"), WINDOW, ("F1", "?")),
    KeyLine("open-folder", later("Open a folder…"), WINDOW, ("Ctrl+O",)),
    KeyLine("settings", later("Settings"), WINDOW, ("Ctrl+,",)),
    KeyLine("next-pane", later("Next pane"), WINDOW, ("F6",)),
    KeyLine("review", later("Review: the plan alone, or all panes"), WINDOW, ("F9",)),
    KeyLine("rail", later("Show or hide the conversations"), WINDOW, ("Ctrl+B",)),
    KeyLine("chat", later("Show or hide the chat"), WINDOW, ("Ctrl+Alt+B",)),
    KeyLine("zoom-in", later("Larger"), WINDOW, ("Ctrl+=", "Ctrl++")),
    KeyLine("zoom-out", later("Smaller"), WINDOW, ("Ctrl+-",)),
    KeyLine("zoom-reset", later("Usual size"), WINDOW, ("Ctrl+0",)),
    KeyLine("new-plan", later("New plan"), PLAN, ("Ctrl+N",)),
    KeyLine("implement", later("Implement (opens the approval sheet)"), PLAN, ("Ctrl+Shift+I",)),
    KeyLine("rework", later("Rework: send all comments"), PLAN, ("Ctrl+Shift+R", "Ctrl+Shift+Return")),
    KeyLine("undo", later("Undo the last run"), PLAN, ("Ctrl+Alt+U",)),
    KeyLine("plans-by-number", later("Open a plan by its place"), PLAN, ("Ctrl+1", "…", "Ctrl+9")),
    KeyLine("send", later("Send the message"), TALK, ("Enter",)),
    KeyLine("new-line", later("New line"), TALK, ("Shift+Enter",)),
    KeyLine("stop", later("Stop the agent"), TALK, ("Esc",)),
    KeyLine("recall", later("Edit and resend the last message"), TALK, ("Up",)),
    KeyLine("delete-back", later("Delete the word, or the line, before the cursor"), TALK, ("Ctrl+W", "Ctrl+U")),
    KeyLine("delete-on", later("Delete to the end of the word, or of the line"), TALK, ("Alt+D", "Ctrl+K")),
    KeyLine("by-word", later("A word back or on, to the end of the line"), TALK, ("Alt+B", "Alt+F", "Ctrl+E")),
    KeyLine("commands", later("Commands"), TALK, ("/",)),
    KeyLine("files", later("Mention a file"), TALK, ("@",)),
    KeyLine("implement-from-chat", later("Implement, in an empty message field"), TALK, ("Ctrl+Enter",)),
    KeyLine("view-run", later("View the plan of a run"), RUNS, ("Enter",)),
    KeyLine("undo-run", later("Undo a run (shows what first)"), RUNS, ("u",)),
    KeyLine("back-to-run", later("Back to before a run (shows what first)"), RUNS, ("b",)),
    KeyLine("walk", later("To the next task or operation"), GRAPH, ("Up", "Down", "Left", "Right")),
    KeyLine("show-diff", later("Show the diff of an operation"), GRAPH, ("Enter",)),
    KeyLine("zoom-graph", later("Larger, smaller, all of the graph"), GRAPH, ("+", "-", "0")),
    KeyLine("first-answer", later("Allow once; in the bar below the plan: Approve…"), DECIDE, ("1",)),
    KeyLine("second-answer", later("Skip; in the bar: Request changes"), DECIDE, ("2",)),
    KeyLine("third-answer", later("Deny with a reason; in the bar: Discard"), DECIDE, ("3",)),
    KeyLine("next-operation", later("Next operation"), REVIEW, ("j", "Down")),
    KeyLine("previous-operation", later("Previous operation"), REVIEW, ("k", "Up")),
    KeyLine("open-row", later("Open or close an operation"), REVIEW, ("Right", "Left", "Enter")),
    KeyLine("select", later("Select several operations"), REVIEW, ("Shift+Up", "Shift+Down", "Ctrl+A")),
    KeyLine("viewed", later("Mark as viewed, and go on to the next"), REVIEW, ("Space",)),
    KeyLine("next-change", later("Next change, on into the next file"), REVIEW, ("n", "F7")),
    KeyLine("previous-change", later("Previous change"), REVIEW, ("p", "Shift+F7")),
    KeyLine("next-important", later("Next thing that matters"), REVIEW, ("a",)),
    KeyLine("previous-important", later("Previous thing that matters"), REVIEW, ("A",)),
    KeyLine("drop", later("Drop or keep a change; remove an operation"), REVIEW, ("x",)),
    KeyLine("drop-lines", later("Drop or keep the lines one is at"), REVIEW, ("Shift+X",)),
    KeyLine("undo-step", later("Undo a step: drop, keep, viewed, edit, comment"), REVIEW, ("Ctrl+Z",)),
    KeyLine("redo-step", later("Redo a step"), REVIEW, ("Ctrl+Shift+Z", "Ctrl+Y")),
    KeyLine("comment", later("Comment"), REVIEW, ("c",)),
    KeyLine("edit", later("Edit the proposed file"), REVIEW, ("e",)),
    KeyLine("merge", later("See merge of a file that drifted"), REVIEW, ("m",)),
    KeyLine("split", later("Split or unified"), REVIEW, ("v",)),
    KeyLine("whitespace", later("White space"), REVIEW, ("w",)),
    KeyLine("ignore-space", later("Ignore white space"), REVIEW, ("W",)),
    KeyLine("whole-file", later("The whole file, or only the changes"), REVIEW, ("f",)),
    KeyLine("as-text", later("Read a diff as text, and back"), REVIEW, ("t",)),
    KeyLine("as-lines", later("The lines of a file that is shown as something else, and back"), REVIEW, ("b",)),
    KeyLine("more-lines", later("Ten more lines of a fold"), REVIEW, ("Shift+Enter",)),
    KeyLine("wrap", later("Wrap lines"), REVIEW, ("Alt+Z",)),
    KeyLine("open-file", later("Open in the editor"), REVIEW, ("o",)),
    KeyLine("search", later("Search"), REVIEW, ("Ctrl+F",)),
    KeyLine("move-operation", later("Move an operation"), REVIEW, ("Alt+Up", "Alt+Down")),
    KeyLine("implement-here", later("Implement; in a comment, add it"), REVIEW, ("Ctrl+Enter",)),
    KeyLine("next-conflict", later("Next conflict"), MERGE, ("n",)),
    KeyLine("previous-conflict", later("Previous conflict"), MERGE, ("p",)),
    KeyLine("take-disk", later("Take what is on disk"), MERGE, ("1",)),
    KeyLine("take-proposed", later("Take what is proposed"), MERGE, ("2",)),
    KeyLine("take-both", later("Take both: disk first, or proposed first"), MERGE, ("3", "4")),
    KeyLine("take-own", later("Write lines of your own"), MERGE, ("e",)),
)

LETTERS = {key: line.name for line in KEYS if line.group == REVIEW for key in line.keys if len(key) == 1}
"""Single-letter shortcuts of the operation list and the diff; a setting disables them."""


def keys_of(name: str) -> tuple[str, ...]:
    """The keys of an action; may be empty."""
    return next((line.keys for line in KEYS if line.name == name), ())


def with_keys(changes: Mapping[str, str]) -> tuple[KeyLine, ...]:
    """The table with the user's own keys."""
    return tuple(replace(line, keys=(changes[line.name],)) if line.name in changes else line for line in KEYS)


def native(key: str) -> str:
    """A key in the system's notation."""
    return key if len(key) == 1 else QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
