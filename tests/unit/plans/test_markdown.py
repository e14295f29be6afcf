"""The page beside a revision says what the record says, in Markdown any tool can read."""

import hashlib
import json
from pathlib import Path

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.lifecycle import follow_up
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.state_machine import Approve, ExecutePlan, PlanExecuted, RejectPlan, RequestRevision
from tandem_desktop.plans import markdown
from tandem_desktop.plans.store import PlanStore
from tests.support.builders import A_MOMENT, PLAN_ID, a_command, a_meta, a_move, a_version, a_write
from tests.support.clocks import Clock

FIELDS = {
    *("id", "title", "status", "version", "created_at", "updated_at", "planner_model", "tools_required"),
    *("executor_model", "execution_session", "execution_started_at", "execution_ended_at", "result_summary"),
}


@pytest.mark.req("S3-04", "S3-07")
def test_the_page_has_the_front_matter_and_the_three_sections(store: PlanStore, plans: Path) -> None:
    store.create_plan(
        a_version(
            a_write(description="Write it", rationale="It is missing", risk="None that we know"),
            a_move(),
            a_command("make y\n`x`", blocked_by=("s1",)),
            content="# Do it\n\nIn three steps.",
        ),
        planner_model="claude",
    )
    page = frontmatter.load(str(plans / PLAN_ID / "r001.md"))
    assert set(page.metadata) == FIELDS | {"revision", "digest", "page_sha256"}
    assert page["id"] == PLAN_ID
    assert (page["status"], page["version"], page["planner_model"]) == ("proposed", 1, "claude")
    assert page["tools_required"] == ["bash", "move", "write"]
    text = page.content
    assert text.startswith("# Do it\n\nIn three steps.\n\n## Steps\n\n1. **s1** create `src/app.py` — Write it\n")
    assert text.index("## Steps") < text.index("## Context") < text.index("## Risks")
    assert "   Why: It is missing" in text
    assert "2. **s2** move `src/old.py → src/new.py`" in text
    assert "3. **s3** command `` make y\\n`x` `` after s1" in text
    assert "- **s1** None that we know" in text


@pytest.mark.req("S3-06")
def test_fields_nothing_uses_are_not_in_the_front_matter(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    page = frontmatter.load(str(plans / PLAN_ID / "r001.md"))
    assert not {"risk_level", "reversible", "supersedes", "feedback"} & set(page.metadata)


@pytest.mark.req("S3-04", "S3-13")
def test_the_page_follows_the_plan_to_its_end(store: PlanStore, plans: Path, clock: Clock) -> None:
    store.create_plan(a_version(a_write()))
    store.send(PLAN_ID, Approve())
    store.send(PLAN_ID, ExecutePlan(run_id=RunId("RUN-00000001"), at=clock.now))
    clock.forward(minutes=1)
    store.send(PLAN_ID, PlanExecuted(summary="1 of 1", at=clock.now))
    store.update(PLAN_ID, lambda meta: follow_up(meta, "goose:small-1"))
    page = frontmatter.load(str(plans / PLAN_ID / "r001.md"))
    assert (page["status"], page["version"], page["result_summary"]) == ("completed", 5, "1 of 1")
    assert (page["execution_session"], page["executor_model"]) == ("RUN-00000001", "goose:small-1")
    assert page["execution_started_at"] == "2026-01-02T03:04:05Z"
    assert page["execution_ended_at"] == page["updated_at"] == "2026-01-02T03:05:05Z"


@pytest.mark.req("S3-16")
def test_every_rejection_is_kept_in_the_page_and_for_the_planner(store: PlanStore, plans: Path, clock: Clock) -> None:
    store.create_plan(a_version(a_write()))
    store.send(PLAN_ID, RequestRevision(feedback="Too\nbroad", at=clock.now))
    store.create_revision(a_version(a_write(), parent=1, origin=Origin.REWORK))
    meta = store.send(PLAN_ID, RequestRevision(feedback="Still too broad", at=clock.now))
    assert [(r.revision, r.feedback) for r in meta.rejections] == [(1, "Too\nbroad"), (2, "Still too broad")]
    text = (plans / PLAN_ID / "r002.md").read_text()
    assert "## Rejections\n\n- r1, 2026-01-02T03:04:05+00:00: Too broad\n- r2," in text
    assert "Still too broad" in text
    store.create_revision(a_version(a_write(), parent=2))
    store.send(PLAN_ID, RejectPlan(at=clock.now))
    assert ": no reason given" in (plans / PLAN_ID / "r003.md").read_text()


@pytest.mark.req("S3-08")
def test_context_is_shown_as_tool_outputs_notes_and_artifacts(store: PlanStore, plans: Path) -> None:
    outputs = {"files": {"tool": "grep", "operation": "search", "data": ["a ``` b"]}}
    context = {"tool_outputs": outputs, "notes": "Mind the gap.", "artifacts": ["log.txt"], "ticket": 7}
    store.create_plan(a_version(a_write(), context=context))
    text = (plans / PLAN_ID / "r001.md").read_text()
    assert "### Notes\n\nMind the gap." in text
    assert "### Artifacts\n\n- log.txt" in text
    block = text.split("### Tool Outputs\n\n````json\n")[1].split("\n````")[0]
    assert json.loads(block) == outputs
    assert '"ticket": 7' in text
    assert store.revision(PLAN_ID).context == context


def test_odd_shapes_of_context_are_shown_as_they_are() -> None:
    version = a_version(context={"notes": ["a", "b"], "artifacts": "one"})
    text = markdown.render(version, a_meta(version), Path("/a"), Path("/plans") / PLAN_ID)
    assert "### Notes\n\n```json" in text
    assert "- one" in text
    assert "## Steps\n\nNone.\n" in text
    assert "## Risks\n\nNone named." in text


@pytest.mark.req("S3-09")
def test_fifty_kilobytes_of_context_stay_inline_and_one_more_byte_goes_to_a_linked_file(
    store: PlanStore, plans: Path
) -> None:
    room = markdown.MAX_INLINE_CONTEXT - len(markdown.context_bytes({"notes": ""}))
    small = store.create_plan(a_version(a_write(), context={"notes": "x" * room}))
    assert small.context == {"notes": "x" * room}
    assert not (plans.parent / "artifacts").exists()
    large = store.create_revision(a_version(a_write(), parent=1, context={"notes": "x" * (room + 1)}))
    artifact = plans.parent / "artifacts" / PLAN_ID / "r002-context.json"
    assert json.loads(artifact.read_bytes()) == {"notes": "x" * (room + 1)}
    assert large.context["artifacts"] == [f"{PLAN_ID}/r002-context.json"]
    assert large.context["sha256"] == hashlib.sha256(artifact.read_bytes()).hexdigest()
    page = plans / PLAN_ID / "r002.md"
    assert len(page.read_bytes()) < 3_000
    link = page.read_text().split("](")[1].split(")")[0]
    assert (page.parent / link).resolve() == artifact.resolve()
    assert len((plans / PLAN_ID / "r002.json").read_bytes()) < 3_000


@pytest.mark.req("S3-02")
def test_what_somebody_writes_into_the_page_has_no_effect(store: PlanStore, plans: Path) -> None:
    saved = store.create_plan(a_version(a_write()))
    (plans / PLAN_ID / "r001.md").write_text("---\nstatus: approved\n---\n## Steps\n1. rm -rf /\n")
    assert store.revision(PLAN_ID) == saved
    assert store.meta(PLAN_ID).status is PlanStatus.PROPOSED


@given(title=st.text(max_size=60), words=st.text(max_size=60), content=st.text(max_size=80))
def test_any_words_give_front_matter_that_reads_back(title: str, words: str, content: str) -> None:
    version = a_version(a_command(f"echo {words}", description=words, rationale=words, risk=words), content=content)
    meta = a_meta(version, title=title, result_summary=words)
    page = frontmatter.loads(markdown.render(version, meta, Path("/a"), Path("/plans") / PLAN_ID))
    assert (page["title"], page["result_summary"]) == (title, words)
    assert page["created_at"] == A_MOMENT.isoformat().replace("+00:00", "Z")
    assert "## Steps" in page.content
