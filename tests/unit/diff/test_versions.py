"""A lock file is a list of packages, and no changed line is neither told nor shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.lines import changes
from tandem_desktop.diff.text import split_lines
from tandem_desktop.diff.versions import NoteKind, PackageChange, VersionList, version_list
from tests.unit.diff.lock_samples import NPM, SAMPLES, npm, npm_package


def listed(path: str, before: bytes, after: bytes) -> VersionList:
    found = version_list(path, before, after)
    assert found is not None
    return found


def the_package(before: bytes, after: bytes, name: str = "alpha", path: str = "package-lock.json") -> PackageChange:
    return next(each for each in listed(path, before, after).packages if each.name == name)


def kinds(change: PackageChange) -> dict[NoteKind, bool]:
    return {note.kind: note.is_risk for note in change.notes}


@pytest.mark.parametrize("path", SAMPLES)
def test_every_kind_of_lock_file_is_listed_by_package_with_nothing_left_over(path: str) -> None:
    found = listed(path, *SAMPLES[path])
    versions = {each.name.rpartition("/")[2]: (each.before, each.after) for each in found.packages}
    bare = {name: tuple(v and v.strip("=v") for v in pair) for name, pair in versions.items()}
    assert bare == {"alpha": ("1.0.0", "1.1.0"), "beta": ("2.0.0", None), "gamma": (None, "3.0.0")}
    assert found.others == ()
    assert (found.moved, found.reformatted) == (0, 0)
    assert not any(each.is_risk for each in found.packages)


@pytest.mark.parametrize("path", SAMPLES)
def test_new_lock_file_lists_every_package_and_a_removed_one_too(path: str) -> None:
    before = SAMPLES[path][0]
    assert {(each.before is None) for each in listed(path, b"", before).packages} == {True}
    assert {(each.after is None) for each in listed(path, before, b"").packages} == {True}


def test_checksum_that_differs_for_the_same_version_is_a_risk_and_is_shown() -> None:
    change = the_package(npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=npm_package("alpha", "1.0.0", "b")))
    assert kinds(change) == {NoteKind.CHECKSUM_ALONE: True}
    assert "b" * 80 in change.notes[0].after


def test_checksum_that_goes_is_a_risk() -> None:
    bare = {"version": "1.0.0", "resolved": npm_package("alpha", "1.0.0", "a")["resolved"]}
    assert kinds(the_package(npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=bare))) == {
        NoteKind.CHECKSUM_GONE: True
    }
    before = npm(beta=npm_package("beta", "1.0.0", "a"))
    after = npm(alpha=bare, beta=npm_package("beta", "1.0.0", "a"))
    assert kinds(the_package(before, after))[NoteKind.NO_CHECKSUM]


@pytest.mark.parametrize(
    "address",
    [
        "https://registry.example/alpha/-/alpha-1.1.0.tgz",
        "https://registry.npmjs.org/other/-/other-1.1.0.tgz",
        "https://registry.npmjs.org/alpha/-/other-1.1.0.tgz",
        "git+ssh://git@github.com/team/alpha.git#1.1.0",
        "file:../alpha-1.1.0.tgz",
    ],
)
def test_package_that_comes_from_elsewhere_is_a_risk_and_its_address_is_shown(address: str) -> None:
    package = npm_package("alpha", "1.1.0", "b") | {"resolved": address}
    change = the_package(npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=package))
    source = next(note for note in change.notes if note.kind is NoteKind.SOURCE)
    assert (source.is_risk, source.after) == (True, address)


def test_other_address_for_the_same_version_is_shown() -> None:
    moved = npm_package("alpha", "1.0.0", "a") | {"resolved": "https://registry.npmjs.org/x/alpha/-/alpha-1.0.0.tgz"}
    change = the_package(npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=moved))
    assert any("/x/alpha/-/" in note.after for note in change.notes)


def test_install_script_is_a_risk() -> None:
    scripted = npm_package("alpha", "1.1.0", "b", hasInstallScript=True)
    assert kinds(the_package(npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=scripted)))[NoteKind.SCRIPT]


def test_other_fields_of_a_package_are_shown_with_both_values() -> None:
    old = npm_package("alpha", "1.0.0", "a", dependencies={"beta": "^1.0.0"}, license="MIT")
    new = npm_package("alpha", "1.0.0", "a", dependencies={"beta": "^2.0.0", "delta": "*"}, license="MIT")
    told = {(note.name, note.before, note.after) for note in the_package(npm(alpha=old), npm(alpha=new)).notes}
    assert told == {("dependencies.beta", "^1.0.0", "^2.0.0"), ("dependencies.delta", "", "*")}


def test_hidden_characters_are_spelled_out_in_names_and_values() -> None:
    odd = npm_package("alpha", "1.0.0", "a", license="MIT\u202e")
    raw = npm(alpha=odd, Xlpha=npm_package("alpha", "1.0.0", "a")).decode().replace("Xlpha", "\u0430lpha")
    text = json.dumps(json.loads(raw), indent=2, ensure_ascii=False).encode() + b"\n"
    found = listed("package-lock.json", npm(alpha=npm_package("alpha", "1.0.0", "a")), text)
    assert {each.name for each in found.packages} == {"alpha", "⟨U+0430⟩lpha"}
    assert any("⟨U+202E⟩" in note.after for each in found.packages for note in each.notes)


def test_line_that_belongs_to_no_package_is_shown_as_it_is() -> None:
    before, after = NPM[0], NPM[0].replace(b'"name": "site"', b'"name": "other"', 1)
    found = listed("package-lock.json", before, after)
    assert [(line.is_old, line.raw.strip()) for line in found.others] == [
        (True, b'"name": "site",'),
        (False, b'"name": "other",'),
    ]


def test_package_too_long_for_the_list_is_shown_as_its_lines_too() -> None:
    long = npm_package("alpha", "1.1.0", "b", license="x" * 5_000)
    found = listed("package-lock.json", npm(alpha=npm_package("alpha", "1.0.0", "a")), npm(alpha=long))
    assert any(b"x" * 5_000 in line.raw for line in found.others)


def test_file_that_is_only_written_otherwise_differs_in_formatting_only() -> None:
    before = NPM[0]
    found = listed("package-lock.json", before, before.replace(b"\n", b"\r\n"))
    assert found.is_formatting_only
    assert found.reformatted > 0
    listed_otherwise = npm(beta=npm_package("beta", "2.0.0", "b"), alpha=npm_package("alpha", "1.0.0", "a"))
    moved = listed("package-lock.json", before, listed_otherwise)
    assert moved.is_formatting_only
    assert moved.moved > 0


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("package-lock.json", json.dumps(json.loads(NPM[1])).encode()),
        ("package-lock.json", NPM[1].replace(b'"version": "3.0.0"', b'"version": "3.0.0", "version": "4.0.0"')),
        ("package-lock.json", NPM[1].replace(b'"version": "3.0.0",', b'"version": "3.0.0",\n"version": "4.0.0",')),
        ("package-lock.json", b"\xff\xfe" + NPM[1]),
        ("Cargo.lock", SAMPLES["Cargo.lock"][1] + b'description = """\n[[package]]\n"""\n'),
        (
            "pnpm-lock.yaml",
            SAMPLES["pnpm-lock.yaml"][1].replace(b"engines: {node: '>=8'}", b"engines: &a {node: '>=8'}"),
        ),
        ("go.sum", b"<<<<<<< ours\n" + SAMPLES["go.sum"][1]),
        ("requirements.txt", SAMPLES["requirements.txt"][1] + b"alpha==1 \\\n"),
        ("yarn.lock", SAMPLES["yarn.lock"][1] + b"gamma@^1: version 3\n"),
    ],
)
def test_file_that_can_be_read_in_two_ways_is_not_listed(path: str, content: bytes) -> None:
    assert version_list(path, SAMPLES[path][0], content) is None


def test_two_sections_that_disagree_show_both_versions() -> None:
    both = json.loads(NPM[0]) | {"dependencies": {"alpha": npm_package("alpha", "6.6.6", "e")}}
    text = json.dumps(both, indent=2).encode() + b"\n"
    assert the_package(NPM[0], text).after == "1.0.0, 6.6.6"


@st.composite
def _edited(draw: st.DrawFn) -> tuple[str, bytes, bytes]:
    """A lock file, and the same with some lines removed, doubled, exchanged or altered."""
    path = draw(st.sampled_from([*SAMPLES]))
    before = draw(st.sampled_from(SAMPLES[path]))
    lines = split_lines(before)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["remove", "double", "exchange", "digit", "letter", "insert"])):
            case "remove" if len(lines) > 1:
                del lines[at]
            case "double":
                lines.insert(at, lines[at])
            case "exchange":
                lines[at], lines[-1 - at] = lines[-1 - at], lines[at]
            case "digit":
                lines[at] = lines[at].replace(b"1", b"7")
            case "letter":
                lines[at] = lines[at].replace(b"a", b"o", 1)
            case _:
                lines.insert(at, draw(st.sampled_from([b"\n", b"  x: y\n", b'  "x": "y",\n', b'x = "y"\n', b"# x\n"])))
    return path, before, b"".join(lines)


@given(_edited())
def test_every_changed_line_is_told_counted_or_shown(case: tuple[str, bytes, bytes]) -> None:
    path, before, after = case
    found = version_list(path, before, after)
    if found is None:
        return
    differs = bool(changes(split_lines(before), split_lines(after)))
    says = bool(found.packages or found.others or found.moved or found.reformatted)
    assert differs == says


@given(st.sampled_from([*SAMPLES]), st.binary(max_size=400), st.text(max_size=200))
def test_no_content_makes_the_list_fail(path: str, raw: bytes, text: str) -> None:
    for before, after in (
        (raw, raw[::-1]),
        (text.encode("utf-8", "replace"), SAMPLES[path][0]),
        (SAMPLES[path][0], raw),
    ):
        version_list(path, before, after)
