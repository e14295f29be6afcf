from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError, StepRefusedError
from tandem_desktop.recipes.recipe import ChangeMode, DeleteFile, MoveFile, WriteFile
from tests.support.recipes import lay_out, outcome_of, written

PATCH = """\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+ONE
 two
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old.txt b/fresh.txt
similarity index 100%
rename from old.txt
rename to fresh.txt
diff --git a/made.sh b/made.sh
new file mode 100755
--- /dev/null
+++ b/made.sh
@@ -0,0 +1 @@
+echo
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
"""


def workspace(tmp_path: Path) -> Path:
    files = {"a.txt": "one\ntwo\n", "gone.txt": "bye\n", "old.txt": "same\n", "run.sh": "x\n", "fix.patch": PATCH}
    return lay_out(tmp_path, files)


def test_every_kind_of_change_in_a_diff_becomes_an_edit(tmp_path: Path) -> None:
    outcome = outcome_of(workspace(tmp_path), "/apply-patch fix.patch")
    assert written(outcome) == {"a.txt": b"ONE\ntwo\n", "made.sh": b"echo\n"}
    kinds = {(type(edit), edit.path) for edit in outcome.edits}
    assert kinds == {
        (WriteFile, "a.txt"),
        (DeleteFile, "gone.txt"),
        (MoveFile, "old.txt"),
        (WriteFile, "made.sh"),
        (ChangeMode, "run.sh"),
    }
    assert next(edit for edit in outcome.edits if edit.path == "made.sh").mode == 0o755  # type: ignore[union-attr]


def test_a_hunk_that_does_not_fit_is_refused_and_nothing_is_made(tmp_path: Path) -> None:
    lay_out(workspace(tmp_path), {"a.txt": "other\n"})
    with pytest.raises(StepRefusedError, match=r"does not apply to a\.txt"):
        outcome_of(tmp_path, "/apply-patch fix.patch")


def test_a_patch_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"no patch to read at fix\.patch"):
        outcome_of(tmp_path, "/apply-patch fix.patch")


def test_a_patch_outside_the_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutsideWorkspaceError):
        outcome_of(tmp_path, "/apply-patch ../fix.patch")
