"""Write git-style diffs for the self-test's patch steps, with the standard library's differ and not with ours."""

import difflib
import re

_NO_NEWLINE = "\n\\ No newline at end of file\n"


def an_edit_diff(path: str, before: str, after: str) -> str:
    """One file with another content."""
    return f"diff --git a/{path} b/{path}\n{_body(f'a/{path}', f'b/{path}', before, after)}"


def a_new_file_diff(path: str, content: str, mode: str) -> str:
    """One file that was not there."""
    return f"diff --git a/{path} b/{path}\nnew file mode {mode}\n{_body('/dev/null', f'b/{path}', '', content)}"


def a_removal_diff(path: str, content: str) -> str:
    """One file that goes."""
    head = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n"
    return f"{head}{_body(f'a/{path}', '/dev/null', content, '')}"


def a_rename_diff(path: str, to: str, before: str, after: str) -> str:
    """One file with another name and another content."""
    head = f"diff --git a/{path} b/{to}\nsimilarity index 90%\nrename from {path}\nrename to {to}\n"
    return f"{head}{_body(f'a/{path}', f'b/{to}', before, after)}"


def a_mode_diff(path: str, old: str, new: str) -> str:
    """One file with other permissions."""
    return f"diff --git a/{path} b/{path}\nold mode {old}\nnew mode {new}\n"


def _body(old_name: str, new_name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(_lines(before), _lines(after), _spelled(old_name), _spelled(new_name))
    return "".join(line if line.endswith("\n") else f"{line}{_NO_NEWLINE}" for line in lines)


def _lines(text: str) -> list[str]:
    """Only a line feed ends a line of a diff."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _spelled(name: str) -> str:
    """Git ends a name that has spaces in it with a tab."""
    return f"{name}\t" if " " in name else name
