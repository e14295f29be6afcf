"""Lines counted in passing are the lines the review shows, and what would take long is left to it."""

from pathlib import Path

import pytest

from tandem_desktop.review.operation_view import COUNTED_BYTES, count_lines, view_operation
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import a_command, a_delete, a_write


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"one\ntwo"),
        (b"one\ntwo\nthree\n", b"one\n2\nthree"),
        (b"a\n" * 5, b"a\n" * 3),
        (b"", "wide\nlines\n".encode("utf-16")),
    ],
)
def test_lines_counted_in_passing_are_those_of_the_review(
    objects: ObjectStore, before: bytes | None, after: bytes
) -> None:
    objects.put_all(side for side in (before, after) if side is not None)
    operation = a_write("notes.txt", after, before=before)
    view = view_operation(operation, objects, commands_captured=True)
    assert count_lines(operation, objects) == (view.added, view.removed)
    assert view.added + view.removed


def test_lines_of_a_deleted_file_are_counted(objects: ObjectStore) -> None:
    objects.put(b"one\ntwo\n")
    assert count_lines(a_delete("notes.txt", b"one\ntwo\n"), objects) == (0, 2)


def test_what_is_not_text_or_too_long_is_not_counted(objects: ObjectStore) -> None:
    longest = b"x\n" * (COUNTED_BYTES // 2)
    objects.put_all((b"\0\n\0", longest, longest + b"\n"))
    assert count_lines(a_command("make"), objects) is None
    assert count_lines(a_write("logo.png", b"\0\n\0"), objects) is None
    assert count_lines(a_write("long.txt", longest + b"\n"), objects) is None
    assert count_lines(a_write("long.txt", longest), objects) is not None
