"""A patch file as a plan: one step for each file, described in words."""

from tandem_desktop.domain.paths import shown
from tandem_desktop.staging.patch import FilePatch, parse_patch
from tandem_desktop.staging.patch_steps import in_applicable_order, is_rename
from tandem_desktop.staging.plan_steps import PatchArgs, PatchStep, PlanInput


def plan_from_patch(raw: bytes, *, title: str = "") -> PlanInput:
    """The plan that does what the unified diff in `raw` says.

    Raises:
        StepRefusedError: it is no diff, or not one of text.
    """
    patches = in_applicable_order(parse_patch(raw))
    steps = tuple(
        PatchStep(id=f"s{position}", tool="patch", description=in_words(patch), args=PatchArgs(diff=patch))
        for position, patch in enumerate(patches, start=1)
    )
    usual = steps[0].description if len(steps) == 1 else f"Apply a patch to {len(steps)} files"
    return PlanInput(title=title.strip() or usual, steps=steps)


def in_words(patch: FilePatch) -> str:
    """What the patch does to its file, for a list."""
    path = shown(patch.path)
    if patch.is_new:
        return f"Create {path}"
    if patch.is_deleted:
        return f"Delete {path}"
    parts = []
    if is_rename(patch):
        parts.append(f"rename {path} to {shown(patch.to or path)}")
    if patch.hunks:
        places = "1 place" if len(patch.hunks) == 1 else f"{len(patch.hunks)} places"
        parts.append(f"change {'it' if parts else path} in {places}")
    if patch.new_mode is not None and patch.new_mode != patch.old_mode:
        parts.append(f"give {'it' if parts else path} the mode {patch.new_mode & 0o7777:04o}")
    words = " and ".join(parts) or f"patch {path}"
    return words[0].upper() + words[1:]
