"""Every key of the window, once: what is bound, what the palette shows and what the page of keys lists."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtGui import QKeySequence


@dataclass(frozen=True, slots=True)
class KeyLine:
    """One thing a key does."""

    name: str
    title: str
    group: str
    keys: tuple[str, ...]

    @property
    def shown(self) -> str:
        """All its keys, as this system writes them."""
        return "  ".join(map(native, self.keys))


WINDOW, PLAN, TALK = "Window", "Plan", "Conversation"
REVIEW = "Review, while the operations or a diff have the keyboard"
MERGE = "Merge, while the three sides have the keyboard"
RUNS = "Runs, while the timeline has the keyboard"
GRAPH = "Tasks and graph, while they have the keyboard"
DECIDE = "Cards in the conversation, while they have the keyboard"

KEYS: tuple[KeyLine, ...] = (
    KeyLine("palette", "Search commands and plans", WINDOW, ("Ctrl+Shift+P",)),
    KeyLine("keys", "Keys", WINDOW, ("F1", "?")),
    KeyLine("open-folder", "Open a folder…", WINDOW, ("Ctrl+O",)),
    KeyLine("settings", "Settings", WINDOW, ("Ctrl+,",)),
    KeyLine("next-pane", "Next pane", WINDOW, ("F6",)),
    KeyLine("rail", "Show or hide the plans", WINDOW, ("Ctrl+B",)),
    KeyLine("zoom-in", "Larger", WINDOW, ("Ctrl+=", "Ctrl++")),
    KeyLine("zoom-out", "Smaller", WINDOW, ("Ctrl+-",)),
    KeyLine("zoom-reset", "Usual size", WINDOW, ("Ctrl+0",)),
    KeyLine("new-plan", "New plan", PLAN, ("Ctrl+N",)),
    KeyLine("implement", "Implement (opens the approval sheet)", PLAN, ("Ctrl+Shift+I",)),
    KeyLine("rework", "Rework: send all comments", PLAN, ("Ctrl+Shift+R", "Ctrl+Shift+Return")),
    KeyLine("undo", "Undo the last run", PLAN, ("Ctrl+Alt+U",)),
    KeyLine("plans-by-number", "Open a plan by its place", PLAN, ("Ctrl+1", "…", "Ctrl+9")),
    KeyLine("send", "Send the message", TALK, ("Enter",)),
    KeyLine("new-line", "New line", TALK, ("Shift+Enter",)),
    KeyLine("stop", "Stop the agent", TALK, ("Esc",)),
    KeyLine("recall", "Edit and resend the last message", TALK, ("Up",)),
    KeyLine("delete-back", "Delete the word, or the line, before the cursor", TALK, ("Ctrl+W", "Ctrl+U")),
    KeyLine("delete-on", "Delete to the end of the word, or of the line", TALK, ("Alt+D", "Ctrl+K")),
    KeyLine("by-word", "A word back or on, to the end of the line", TALK, ("Alt+B", "Alt+F", "Ctrl+E")),
    KeyLine("commands", "Commands", TALK, ("/",)),
    KeyLine("files", "Mention a file", TALK, ("@",)),
    KeyLine("view-run", "View the plan of a run", RUNS, ("Enter",)),
    KeyLine("undo-run", "Undo a run (shows what first)", RUNS, ("u",)),
    KeyLine("back-to-run", "Back to before a run (shows what first)", RUNS, ("b",)),
    KeyLine("walk", "To the next task or operation", GRAPH, ("Up", "Down", "Left", "Right")),
    KeyLine("show-diff", "Show the diff of an operation", GRAPH, ("Enter",)),
    KeyLine("zoom-graph", "Larger, smaller, all of the graph", GRAPH, ("+", "-", "0")),
    KeyLine("first-answer", "Approve a plan (opens the sheet), or allow once", DECIDE, ("1",)),
    KeyLine("second-answer", "Deny a plan with feedback, or skip", DECIDE, ("2",)),
    KeyLine("third-answer", "Deny with a reason", DECIDE, ("3",)),
    KeyLine("next-operation", "Next operation", REVIEW, ("j", "Down")),
    KeyLine("previous-operation", "Previous operation", REVIEW, ("k", "Up")),
    KeyLine("open-row", "Open or close an operation", REVIEW, ("Right", "Left", "Enter")),
    KeyLine("viewed", "Mark as viewed", REVIEW, ("Space",)),
    KeyLine("next-change", "Next change, on into the next file", REVIEW, ("n", "F7")),
    KeyLine("previous-change", "Previous change", REVIEW, ("p", "Shift+F7")),
    KeyLine("drop", "Drop or keep a change; remove an operation", REVIEW, ("x",)),
    KeyLine("drop-lines", "Drop or keep the lines one is at", REVIEW, ("Shift+X",)),
    KeyLine("comment", "Comment", REVIEW, ("c",)),
    KeyLine("edit", "Edit the proposed file", REVIEW, ("e",)),
    KeyLine("merge", "See merge of a file that drifted", REVIEW, ("m",)),
    KeyLine("split", "Split or unified", REVIEW, ("v",)),
    KeyLine("whitespace", "White space", REVIEW, ("w",)),
    KeyLine("whole-file", "The whole file, or only the changes", REVIEW, ("f",)),
    KeyLine("as-text", "Read a diff as text, and back", REVIEW, ("t",)),
    KeyLine("more-lines", "Ten more lines of a fold", REVIEW, ("Shift+Enter",)),
    KeyLine("wrap", "Wrap lines", REVIEW, ("Alt+Z",)),
    KeyLine("open-file", "Open in the editor", REVIEW, ("o",)),
    KeyLine("search", "Search", REVIEW, ("Ctrl+F",)),
    KeyLine("move-operation", "Move an operation", REVIEW, ("Alt+Up", "Alt+Down")),
    KeyLine("implement-here", "Implement; in a comment, add it", REVIEW, ("Ctrl+Enter",)),
    KeyLine("next-conflict", "Next conflict", MERGE, ("n",)),
    KeyLine("previous-conflict", "Previous conflict", MERGE, ("p",)),
    KeyLine("take-disk", "Take what is on disk", MERGE, ("1",)),
    KeyLine("take-proposed", "Take what is proposed", MERGE, ("2",)),
    KeyLine("take-both", "Take both: disk first, or proposed first", MERGE, ("3", "4")),
    KeyLine("take-own", "Write lines of your own", MERGE, ("e",)),
)

LETTERS = {key: line.name for line in KEYS if line.group == REVIEW for key in line.keys if len(key) == 1}
"""What a single letter does in the operations and in a diff, unless the person turned letters off."""


def keys_of(name: str) -> tuple[str, ...]:
    """The keys of an action; none where it has none."""
    return next((line.keys for line in KEYS if line.name == name), ())


def with_keys(changes: Mapping[str, str]) -> tuple[KeyLine, ...]:
    """The table with a person's own keys in it."""
    return tuple(replace(line, keys=(changes[line.name],)) if line.name in changes else line for line in KEYS)


def native(key: str) -> str:
    """A key as this system writes it."""
    return key if len(key) == 1 else QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
