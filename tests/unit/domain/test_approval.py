"""The digest is made of effects, and of nothing else."""

import json
from hashlib import sha256

import pytest

from tandem_desktop.domain.approval import ApprovalHash, canonical, digest
from tests.support.builders import a_command, a_delete, a_move, a_version, a_write


def test_operations_hash_is_the_digest_of_the_effects_in_order() -> None:
    commands = (a_command(id="s4", blocked_by=("s1",)), a_command(id="s5", task="t1"))
    version = a_version(a_write(), a_delete(id="s2"), a_move(id="s3"), *commands)
    effects = [operation.effect().model_dump(mode="json") for operation in version.operations]
    effects = [{name: value for name, value in each.items() if (name, value) != ("task", None)} for each in effects]
    assert ApprovalHash.of(version).operations_hash == digest("operations:1", canonical(effects))


def test_each_digest_is_sha_256_under_the_name_of_its_subject() -> None:
    version = a_version(a_write()).model_copy(update={"title": "One", "content": "Two", "context": {}})
    content = sha256(b'tandem:content:1\0["One","Two",{}]').hexdigest()
    hashed = ApprovalHash.of(version)
    assert hashed.content_hash == content
    combined = {"content_hash": content, "format": 1, "operations_hash": hashed.operations_hash}
    combined |= {"plan_id": version.plan_id, "revision": version.revision}
    text = json.dumps(combined, sort_keys=True, separators=(",", ":")).encode()
    assert hashed.combined_hash == sha256(b"tandem:plan:1\0" + text).hexdigest()


def test_order_of_keys_in_the_context_is_not_in_the_digest() -> None:
    one, other = ({"a": {"x": 1, "y": 2}, "b": 3}, {"b": 3, "a": {"y": 2, "x": 1}})
    hashes = {ApprovalHash.of(a_version(a_write()).model_copy(update={"context": each})) for each in (one, other)}
    assert len(hashes) == 1


def test_text_is_hashed_as_utf_8_without_white_space() -> None:
    assert canonical({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'.encode()


def test_number_that_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": float("nan")})


def test_title_text_and_context_are_in_the_digest() -> None:
    version = a_version(a_write())
    changed = [
        version.model_copy(update=change) for change in ({"title": "x"}, {"content": "x"}, {"context": {"x": 1}})
    ]
    hashes = {ApprovalHash.of(each).combined_hash for each in (version, *changed)}
    assert len(hashes) == 4


def test_the_task_of_a_command_is_in_the_digest_and_that_of_a_file_is_not() -> None:
    def hashed(command: str | None, file: str | None) -> str:
        version = a_version(a_command(id="s1", task=command), a_write(id="s2", task=file))
        return ApprovalHash.of(version).operations_hash

    assert hashed("t1", None) == hashed("t1", "t2")
    assert len({hashed(None, None), hashed("t1", None), hashed("t2", None)}) == 3
