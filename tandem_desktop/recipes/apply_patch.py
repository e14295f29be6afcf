"""The recipe that applies a patch."""

from dataclasses import dataclass

from tandem_desktop.diff.patch import parse_patch
from tandem_desktop.domain.errors import BadInputError, StorageError
from tandem_desktop.domain.operations import FileState, OperationKind, SymlinkState
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.recipes.recipe import (
    ChangeMode,
    DeleteFile,
    Edit,
    Left,
    MakeLink,
    MoveFile,
    Recipe,
    RecipeOutcome,
    WriteFile,
    counted,
    read_words,
    summary,
)
from tandem_desktop.recipes.sources import BrowsableTree
from tandem_desktop.staging.changes import TreeChange
from tandem_desktop.staging.patch_steps import apply_patches
from tandem_desktop.staging.simulated_tree import SimulatedTree

USAGE = "/apply-patch FILE   for example: /apply-patch fix.patch"


@dataclass(frozen=True, slots=True)
class ApplyPatch:
    """What the diff says, on the files as they are."""

    path: str

    @classmethod
    def parse(cls, text: str) -> "ApplyPatch":
        words = read_words(text, USAGE, wanted=("FILE",))
        return cls(check_path(words.arguments[0]))

    def run(self, tree: BrowsableTree) -> RecipeOutcome:
        try:
            raw = tree.read(self.path)
        except StorageError as error:
            raise BadInputError(
                f"There is no patch to read at {shown(self.path)}.", path=self.path, next=f"Write it as: {USAGE}"
            ) from error
        after = SimulatedTree(tree)
        edits = tuple(_edit(change, after) for change in apply_patches(after, parse_patch(raw)))
        title = f"Apply {shown(self.path)}"
        touched = {edit.path for edit in edits}
        return RecipeOutcome(title, edits, summary(f"{title}: {counted(len(touched), 'file')} changed.", Left()))


def _edit(change: TreeChange, tree: SimulatedTree) -> Edit:
    assert change.path is not None
    path = change.path
    match change.kind:
        case OperationKind.DELETE:
            return DeleteFile(path, f"Delete {shown(path)}")
        case OperationKind.MOVE:
            assert change.to is not None
            return MoveFile(path, change.to, f"Rename {shown(path)} to {shown(change.to)}")
        case OperationKind.SYMLINK:
            assert isinstance(change.after, SymlinkState)
            return MakeLink(path, change.after.target, f"Link {shown(path)}")
        case OperationKind.CHMOD:
            assert isinstance(change.after, FileState)
            return ChangeMode(path, change.after.mode, f"Give {shown(path)} the mode {change.after.mode:04o}")
    assert isinstance(change.after, FileState)
    verb = "Create" if change.kind is OperationKind.CREATE else "Patch"
    return WriteFile(path, tree.contents[change.after.sha256], f"{verb} {shown(path)}", change.after.mode)


RECIPE = Recipe(
    name="apply-patch",
    title="Apply a patch",
    description="Apply a unified diff that lies in the workspace; a hunk that does not fit exactly is refused",
    hint="FILE",
    example="/apply-patch fix.patch",
    parse=ApplyPatch.parse,
)
