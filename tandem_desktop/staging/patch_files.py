"""From the headers of one file in a patch to what is meant: which path, and what happens to it."""

from dataclasses import dataclass, field

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.hunks import Hunk
from tandem_desktop.staging.patch_names import DEV_NULL, HeaderName, plain_path, strip_git_prefixes

MAKE_AGAIN = "Make the patch again with `git diff` and pass it unedited."


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file. Modes carry the type bits, as git writes them; None means unsaid."""

    path: str
    to: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    is_new: bool = False
    is_deleted: bool = False
    hunks: tuple[Hunk, ...] = ()


@dataclass(slots=True)
class Section:
    """The headers of one file as they are gathered."""

    git_names: tuple[str, str] | None = None
    is_git: bool = False
    rename_from: str | None = None
    rename_to: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    is_new: bool = False
    is_deleted: bool = False
    old_name: HeaderName | None = None
    new_name: HeaderName | None = None
    hunks: list[Hunk] = field(default_factory=list)

    def describe(self) -> str | None:
        if self.rename_to is not None:
            return self.rename_to
        if self.git_names is not None:
            return strip_git_prefixes(*self.git_names)[1]
        return self.new_name.name if self.new_name is not None else None


def file_patch(section: Section) -> FilePatch:
    """What the headers and hunks say together.

    Raises:
        StepRefusedError: they contradict each other, or say nothing.
    """
    made = _git_file(section) if section.is_git else _plain_file(section)
    is_mode_change = made.new_mode is not None and made.new_mode != made.old_mode
    problem = ""
    if made.is_new and any(hunk.old_count for hunk in made.hunks):
        problem = "creates the file and yet needs its old content"
    elif made.is_deleted and any(hunk.new_count for hunk in made.hunks):
        problem = "deletes the file and yet leaves content in it"
    elif not (made.hunks or made.to or made.is_new or made.is_deleted or is_mode_change):
        problem = "changes nothing in it"
    if problem:
        raise StepRefusedError(f"{made.path}: the patch {problem}.", path=made.path, next=MAKE_AGAIN)
    return made


def _git_file(section: Section) -> FilePatch:
    old, new = _git_paths(section)
    if section.is_new or (section.old_name is not None and section.old_name.name == DEV_NULL):
        return FilePatch(new, new_mode=section.new_mode, is_new=True, hunks=tuple(section.hunks))
    if section.is_deleted or (section.new_name is not None and section.new_name.name == DEV_NULL):
        return FilePatch(old, old_mode=section.old_mode, is_deleted=True, hunks=tuple(section.hunks))
    if section.rename_to is None and old != new:
        raise _two_files(old, new)
    return FilePatch(old, section.rename_to, section.old_mode, section.new_mode, hunks=tuple(section.hunks))


def _git_paths(section: Section) -> tuple[str, str]:
    """The two paths; every header that names them must say the same, or the reader of one would be misled."""
    if (section.rename_from is None) != (section.rename_to is None):
        raise StepRefusedError("The patch renames a file but names only one side.", next=MAKE_AGAIN)
    shown = _shown_paths(section)
    if section.rename_from is not None and section.rename_to is not None:
        said: tuple[str, str] | None = (section.rename_from, section.rename_to)
    else:
        said = strip_git_prefixes(*section.git_names) if section.git_names is not None else shown
    if said is None:
        raise StepRefusedError("The patch does not say clearly which file it means.", next=MAKE_AGAIN)
    if shown is not None and shown != said:
        raise _two_files(*(shown if shown[0] != shown[1] else (said[1], shown[1])))
    return said


def _shown_paths(section: Section) -> tuple[str, str] | None:
    if section.old_name is None or section.new_name is None:
        return None
    old, new = section.old_name.name, section.new_name.name
    if DEV_NULL not in (old, new):
        return strip_git_prefixes(old, new)
    there = new if old == DEV_NULL else old
    if section.git_names is not None and there in section.git_names:
        path = strip_git_prefixes(*section.git_names)[0 if new == DEV_NULL else 1]
    else:
        path = plain_path(old, new)
    return (path, path)


def _two_files(old: str, new: str) -> StepRefusedError:
    return StepRefusedError(
        f"The patch names two different files, {old} and {new}, and does not say that it renames.",
        path=new,
        next=MAKE_AGAIN,
    )


def _plain_file(section: Section) -> FilePatch:
    old, new = section.old_name, section.new_name
    if old is None or new is None:
        raise StepRefusedError("The patch does not say which file it means.", next=MAKE_AGAIN)
    path = plain_path(old.name, new.name)
    hunks = tuple(section.hunks)
    has_no_old = len(hunks) == 1 and hunks[0].old_count == 0
    has_no_new = len(hunks) == 1 and hunks[0].new_count == 0
    return FilePatch(
        path,
        is_new=old.name == DEV_NULL or (old.is_epoch and has_no_old),
        is_deleted=new.name == DEV_NULL or (new.is_epoch and has_no_new),
        hunks=hunks,
    )
