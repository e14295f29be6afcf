"""Comments are drafts beside the latest revision: kept on disk, moved with their lines, sent whole."""

import threading
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, PlanDamagedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import Comment, Comments, Place, Side
from tandem_desktop.review.comments import CommentPlaces, CommentStore, feedback
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import A_MOMENT, PLAN_ID, SESSION_ID, a_command, a_version, a_write

BEFORE = b"a\nb\nc\n"
AFTER = b"a\nB\nc\nd\n"
S1 = OperationId("s1")


@pytest.fixture
def places(memory_path: Path) -> CommentPlaces:
    objects = ObjectStore(memory_path)
    objects.put_all((BEFORE, AFTER, b"new\n" + AFTER, b"all new\n"))
    return CommentPlaces(objects)


def an_edit(after: bytes = AFTER, *, id: str = "s1", path: str = "f", revision: int = 1) -> PlanVersion:  # noqa: A002 - the field's name
    return a_version(a_write(path, after, before=BEFORE, id=id), revision=revision)


def a_comment(place: Place, text: str = "why?") -> Comment:
    return Comments(plan_id=PLAN_ID).add(place, text, 1, A_MOMENT).drafts[0]


def test_place_quotes_the_lines_it_stands_on(places: CommentPlaces) -> None:
    assert places.place(an_edit(), S1, Side.AFTER, (2, 4)).quoted == "B\nc\nd"
    assert places.place(an_edit(), S1, Side.BEFORE, (2, 2)).quoted == "b"
    assert places.place(an_edit(), None, lines=(1, 1)).quoted == an_edit().content.split("\n")[0]


def test_place_on_a_command_quotes_the_command(places: CommentPlaces) -> None:
    version = a_version(a_command("make all\nmake test", id="s1"))
    assert places.place(version, S1, lines=(2, 2)).quoted == "make test"


@pytest.mark.parametrize("lines", [(0, 1), (2, 1), (4, 5)])
def test_lines_that_are_not_there_are_refused(places: CommentPlaces, lines: tuple[int, int]) -> None:
    with pytest.raises(BadInputError, match=f"there are no lines {lines[0]} to {lines[1]}"):
        places.place(an_edit(), S1, Side.AFTER, lines)


def test_operation_that_is_not_there_is_refused(places: CommentPlaces) -> None:
    with pytest.raises(UnknownOperationError, match="no operation s9"):
        places.place(an_edit(), OperationId("s9"))


def test_comment_moves_with_its_lines_and_its_operation(places: CommentPlaces) -> None:
    comment = a_comment(places.place(an_edit(), S1, Side.AFTER, (2, 3)))
    newer = an_edit(b"new\n" + AFTER, id="s7", revision=2)
    (moved,) = places.in_newer((comment,), an_edit(), newer)
    assert (moved.place.operation, moved.place.first_line, moved.place.last_line) == ("s7", 3, 4)
    assert (moved.revision, moved.outdated) == (2, False)


def test_comment_whose_lines_are_gone_is_outdated_and_still_quotes_them(places: CommentPlaces) -> None:
    comment = a_comment(places.place(an_edit(), S1, Side.AFTER, (2, 3)))
    (moved,) = places.in_newer((comment,), an_edit(), an_edit(b"all new\n", revision=2))
    assert (moved.outdated, moved.place.quoted) == (True, "B\nc")


def test_comment_whose_operation_is_gone_is_outdated(places: CommentPlaces) -> None:
    comment = a_comment(places.place(an_edit(), S1))
    (moved,) = places.in_newer((comment,), an_edit(), an_edit(path="other", revision=2))
    assert moved.outdated


def test_feedback_tells_path_lines_quoted_text_and_comment(places: CommentPlaces) -> None:
    lines = a_comment(places.place(an_edit(), S1, Side.AFTER, (2, 3)), "too broad\nand late")
    whole = a_comment(places.place(an_edit(), None), "say why")
    assert feedback("Almost.", (lines, whole)) == (
        "Almost.\n\nComments on the plan:\n\n"
        "1. f (s1), lines 2-3 of the file as proposed:\n   > B\n   > c\n   too broad\n   and late\n\n"
        "2. the plan text:\n   say why"
    )


def test_long_quotation_is_cut_with_a_mark() -> None:
    place = Place(operation=S1, subject="f", first_line=1, last_line=40, quoted="\n".join(map(str, range(40))))
    told = feedback("", (a_comment(place),))
    assert "   > 29\n   > … and 10 more lines\n   why?" in told
    one_more = place.model_copy(update={"quoted": "\n".join(map(str, range(31)))})
    assert "> … and 1 more line\n" in feedback("", (a_comment(one_more),))


def test_drafts_survive_a_restart_and_are_edited_and_removed(tmp_path: Path) -> None:
    store = CommentStore(tmp_path)
    for text in ("one", "two"):
        store.update(SESSION_ID, PLAN_ID, lambda found, said=text: found.add(Place(), said, 1, A_MOMENT))
    first, second = CommentStore(tmp_path).load(SESSION_ID, PLAN_ID).drafts
    store.update(SESSION_ID, PLAN_ID, lambda found: found.edit(first.id, "uno").remove(second.id))
    assert [draft.text for draft in CommentStore(tmp_path).load(SESSION_ID, PLAN_ID).drafts] == ["uno"]


def test_sent_comments_are_kept_and_names_are_never_given_twice() -> None:
    one = Comments(plan_id=PLAN_ID).add(Place(), "one", 1, A_MOMENT)
    sent = one.mark_sent(one.drafts)
    both = sent.add(Place(), "two", 2, A_MOMENT)
    assert ([c.id for c in both.sent], [c.id for c in both.drafts]) == (["C1"], ["C2"])


def test_comment_written_or_changed_after_the_others_were_read_is_not_marked_as_sent() -> None:
    read = Comments(plan_id=PLAN_ID).add(Place(), "one", 1, A_MOMENT).add(Place(), "two", 1, A_MOMENT)
    first, second = read.drafts
    now = read.add(Place(), "three", 1, A_MOMENT).edit(second.id, "zwei").mark_sent(read.drafts)
    assert [c.text for c in now.sent] == [first.text]
    assert [c.text for c in now.drafts] == ["zwei", "three"]


def test_writers_at_the_same_time_all_keep_their_words(tmp_path: Path) -> None:
    def write(n: int) -> None:
        for m in range(10):
            said = f"{n} {m}"
            CommentStore(tmp_path).update(SESSION_ID, PLAN_ID, lambda c, text=said: c.add(Place(), text, 1, A_MOMENT))

    writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    drafts = CommentStore(tmp_path).load(SESSION_ID, PLAN_ID).drafts
    assert {draft.text for draft in drafts} == {f"{n} {m}" for n in range(4) for m in range(10)}
    assert len({draft.id for draft in drafts}) == 40


def test_damaged_record_is_named_and_left_alone(tmp_path: Path) -> None:
    record = tmp_path / SESSION_ID / f"comments-{PLAN_ID}.json"
    record.parent.mkdir()
    record.write_text("{not json")
    with pytest.raises(PlanDamagedError, match=r"comments-.*\.json cannot be read"):
        CommentStore(tmp_path).update(SESSION_ID, PLAN_ID, lambda found: found.mark_sent(found.drafts))
    assert record.read_text() == "{not json"


def test_comments_on_another_plan_of_the_conversation_stay(tmp_path: Path) -> None:
    store, other = CommentStore(tmp_path), PlanId("PLAN-0000beef")
    store.update(SESSION_ID, PLAN_ID, lambda found: found.add(Place(), "on the first", 1, A_MOMENT))
    store.update(SESSION_ID, other, lambda found: found.add(Place(), "on the second", 1, A_MOMENT))
    assert [draft.text for draft in store.load(SESSION_ID, PLAN_ID).drafts] == ["on the first"]
