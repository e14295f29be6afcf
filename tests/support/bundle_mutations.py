"""Ways to spoil a plan bundle: carelessly, with the seal made anew, and as somebody would who wants to do harm."""

import gzip
import json
import random
from collections.abc import Callable
from typing import Any

from tandem_desktop.domain.approval import ApprovalHash, canonical
from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.plans.bundle import seal

Json = dict[str, Any]
Mutation = Callable[[random.Random, bytes], bytes]

BAD_PATHS = (
    *("../outside", "/etc/passwd", ".git/hooks/pre-commit", ".tandem/plans/x", "a/../../b", "./a", "a//b", "a\x00b"),
    *("C:\\windows", "con", "a\u202eb", "", "a/", "x" * 5000, "..\\up", "a\nb"),
)


def flip_a_bit(chance: random.Random, data: bytes) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


def cut_short(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def cut_out(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(1, 40) :]


def put_in(chance: random.Random, data: bytes) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.randbytes(chance.randrange(1, 20)) + data[place:]


def say_twice(chance: random.Random, data: bytes) -> bytes:
    return data + data if chance.random() < 0.2 else _moved(chance, data, _doubled)


def reorder(chance: random.Random, data: bytes) -> bytes:
    return _moved(chance, data, _swapped)


def leave_out(chance: random.Random, data: bytes) -> bytes:
    return _moved(chance, data, lambda chance, lines: lines.pop(chance.randrange(len(lines))))


def compress(chance: random.Random, data: bytes) -> bytes:
    return gzip.compress(data if chance.random() < 0.5 else bytes(4_000_000))


def reseal_bytes(chance: random.Random, data: bytes) -> bytes:
    """Careless damage, after which somebody made the seal anew."""
    spoil = chance.choice((flip_a_bit, cut_out, put_in))
    body, _ = _parted(data)
    return sealed(spoil(chance, body))


def reseal_lines(chance: random.Random, data: bytes) -> bytes:
    body, _ = _parted(data)
    move = chance.choice((_doubled, _swapped, lambda chance, lines: lines.pop(chance.randrange(len(lines)))))
    return sealed(_moved(chance, body, move))


def reseal_a_field(chance: random.Random, data: bytes) -> bytes:
    """One value somewhere is another one, or there is one more; the seal is made anew."""
    lines = _parted(data)[0].splitlines()
    place = chance.randrange(len(lines))
    value = json.loads(lines[place])
    objects = list(_objects(value))
    chosen = chance.choice(objects)
    if chosen and chance.random() < 0.7:
        key = chance.choice(list(chosen))
        chosen[key] = chance.choice(
            (None, True, 0, 1, -1, 2**70, 0.5, "", "x", [], {}, [chosen[key]], str(chosen[key]))
        )
    else:
        chosen[chance.choice(("extra", "format", "kind", "to", "sha256", "__proto__"))] = chance.choice((1, "x", None))
    lines[place] = canonical(value)
    return sealed(b"".join(line + b"\n" for line in lines))


def reseal_spelling(chance: random.Random, data: bytes) -> bytes:
    """The same values, written in another way: spaces, escapes, a key twice, numbers that are none."""
    lines = _parted(data)[0].splitlines()
    place = chance.randrange(len(lines))
    text = lines[place].decode()
    first = text[1 : text.index(":")]
    ways = (
        text.replace(":", ": ", 1),
        text + " ",
        text.replace("{", f"{{{first}:1,", 1),
        text.replace("e", "\\u0065", 1),
        json.dumps(json.loads(text), indent=1).replace("\n", "\r"),
        text[:-1] + ',"z":NaN}',
        "[" * 100_000,
        "\ufeff" + text,
    )
    lines[place] = chance.choice(ways).encode()
    return sealed(b"".join(line + b"\n" for line in lines))


def hostile_path(chance: random.Random, data: bytes) -> bytes:
    """A path that leaves the workspace, with the digest and the seal made anew."""

    def spoil(operation: Json) -> None:
        operation[chance.choice([name for name in ("path", "to") if operation[name]])] = chance.choice(BAD_PATHS)

    return _with_operation(chance, data, spoil, lambda operation: operation["path"] is not None)


def hostile_kind(chance: random.Random, data: bytes) -> bytes:
    """An operation that is called something it is not, with the digest and the seal made anew."""
    kinds = [kind.value for kind in OperationKind]

    def spoil(operation: Json) -> None:
        # To write the same bytes with another mode is a modification too.
        honest = {operation["kind"], "modify" if operation["kind"] == "chmod" else ""}
        operation["kind"] = chance.choice([kind for kind in kinds if kind not in honest])

    return _with_operation(chance, data, spoil)


def hostile_bytes(chance: random.Random, data: bytes) -> bytes:
    """Other bytes under a digest, or a digest nobody has bytes for, with the seal made anew."""

    def spoil(operation: Json) -> None:
        operation["after"]["sha256"] = chance.randbytes(32).hex()

    if chance.random() < 0.5:
        return _with_operation(chance, data, spoil, lambda operation: operation["after"]["type"] == "file")
    lines = _parted(data)[0].splitlines()
    places = [number for number, line in enumerate(lines) if line.startswith(b'{"object"')]
    place = chance.choice(places)
    value = json.loads(lines[place])
    name = chance.choice(("sha256", "base64"))
    value["object"][name] = chance.randbytes(32).hex()
    lines[place] = canonical(value)
    return sealed(b"".join(line + b"\n" for line in lines))


CARELESS: tuple[Mutation, ...] = (
    *(flip_a_bit, flip_a_bit, flip_a_bit, cut_short, cut_out, put_in, say_twice, reorder, leave_out, compress),
)
"""Whatever happens to a file on the way: always refused."""
RESEALED: tuple[Mutation, ...] = (reseal_bytes, reseal_lines, reseal_a_field, reseal_spelling)
"""With the seal made anew words may differ, and nothing that has an effect."""
HOSTILE: tuple[Mutation, ...] = (hostile_path, hostile_kind, hostile_bytes)
"""With every digest made anew as well: always refused, for what it would do."""


def sealed(body: bytes) -> bytes:
    return body + canonical({"seal": seal(body)}) + b"\n"


def _parted(data: bytes) -> tuple[bytes, bytes]:
    cut = data.rfind(b"\n", 0, len(data) - 1) + 1
    return data[:cut], data[cut:]


def _moved(chance: random.Random, data: bytes, move: Callable[[random.Random, list[bytes]], object]) -> bytes:
    lines = data.splitlines(keepends=True)
    move(chance, lines)
    return b"".join(lines)


def _doubled(chance: random.Random, lines: list[bytes]) -> None:
    place = chance.randrange(len(lines))
    lines.insert(chance.randrange(len(lines) + 1), lines[place])


def _swapped(chance: random.Random, lines: list[bytes]) -> None:
    one, other = chance.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]


def _objects(value: Any) -> list[Json]:
    if isinstance(value, dict):
        return [value, *(found for each in value.values() for found in _objects(each))]
    return [found for each in value for found in _objects(each)] if isinstance(value, list) else []


def _with_operation(
    chance: random.Random,
    data: bytes,
    spoil: Callable[[Json], None],
    suits: Callable[[Json], bool] = lambda operation: True,
) -> bytes:
    lines = _parted(data)[0].splitlines()
    last = max(number for number, line in enumerate(lines) if line.startswith(b'{"revision"'))
    value = json.loads(lines[last])
    spoil(chance.choice([each for each in value["revision"]["operations"] if suits(each)]))
    try:
        version = PlanVersion.model_validate(value["revision"])
        value["revision"]["approval_hash"] = ApprovalHash.of(version).combined_hash
    except ValueError:  # it is no operation at all any more
        pass
    manifest = json.loads(lines[0])
    manifest["bundle"]["digest"] = value["revision"]["approval_hash"]
    lines[0], lines[last] = canonical(manifest), canonical(value)
    return sealed(b"".join(line + b"\n" for line in lines))
