"""The digest is made of effects, and of nothing else."""

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.canonical import canonical, digest
from tests.support.builders import a_command, a_delete, a_move, a_version, a_write


def test_operations_hash_is_the_digest_of_the_effects_in_order() -> None:
    version = a_version(a_write(), a_delete(id="s2"), a_move(id="s3"), a_command(id="s4", blocked_by=("s1",)))
    effects = [operation.effect().model_dump(mode="json") for operation in version.operations]
    assert ApprovalHash.of(version).operations_hash == digest("operations:1", canonical(effects))


def test_title_text_and_context_are_in_the_digest() -> None:
    version = a_version(a_write())
    changed = [
        version.model_copy(update=change) for change in ({"title": "x"}, {"content": "x"}, {"context": {"x": 1}})
    ]
    hashes = {ApprovalHash.of(each).combined_hash for each in (version, *changed)}
    assert len(hashes) == 4
