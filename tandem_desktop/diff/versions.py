"""The change of a lock file as a list of packages, and every line that the list does not explain."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from tandem_desktop.diff.lines import changes
from tandem_desktop.diff.lock_lines import LockLines, LockPackage, NotALockFileError, read_lock, reader_of
from tandem_desktop.diff.text import split_lines, visible_line, visible_name

LONGEST_VALUE = 600
"""Characters of a value that are shown in the list; lines with more are shown as lines."""

_CHECKSUM = re.compile(
    r"\b(?:sha(?:1|224|256|384|512)|md5|blake[23][a-z]?|h1|zh|10c0|[0-9]{1,2}c[0-9])[-:=/][A-Za-z0-9+/=_-]{16,}"
    r"|(?<![A-Za-z0-9])[0-9A-Fa-f]{32,128}(?![A-Za-z0-9])"
)
_ADDRESS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"',}\]]+|\bgit@[^\s\"',}\]]+|\b(?:file|link|portal):[^\s\"',}\]]+"
)
_ORIGIN = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@]*@)?|git@)([^/:?#]+)")
_SEPARATORS = re.compile(r"[-_.+]+|%2b")
_FILE = re.compile(r"\"([^\"\s/]+\.(?:whl|zip|tar\.gz|tar\.bz2|tgz))\"")
_LABEL = re.compile(
    r"\b(?:url|hash|file|integrity|tarball|hashes|sha256)(?: ?= ?|: ?)|\bsize ?= ?\d+"
    r"|\bupload[-_]time ?= ?\"[-0-9T:.Z]+\""
)
_SCRIPT = re.compile(r"(?:.*\.)?(?:hasInstallScript|requiresBuild|requires_build|install_script)")


class NoteKind(Enum):
    """What a note says about a package."""

    CHECKSUM = "checksum"
    """Its checksums are others, as its version is; the name is their number."""
    CHECKSUM_ALONE = "checksum-alone"
    """Its checksums are others, though its version is the same."""
    CHECKSUM_GONE = "checksum-gone"
    NO_CHECKSUM = "no-checksum"
    """It is new and has no checksum, where others have."""
    FROM = "from"
    """Where something new comes from."""
    SOURCE = "source"
    """It comes from elsewhere, or from an address that does not name its version."""
    SCRIPT = "script"
    """It runs a script when it is installed."""
    FIELD = "field"
    """Any other field."""


class PackageNote(NamedTuple):
    """One thing that differs about a package; texts are as they are shown."""

    kind: NoteKind
    name: str = ""
    before: str = ""
    after: str = ""
    is_risk: bool = False


@dataclass(frozen=True)
class PackageChange:
    """One package that is added, removed or changed. Texts are as they are shown: hidden characters are tokens."""

    name: str
    place: str
    before: str | None
    """Its version; None if it was not there."""
    after: str | None
    notes: tuple[PackageNote, ...] = ()

    @property
    def is_risk(self) -> bool:
        return any(note.is_risk for note in self.notes)


class OtherLine(NamedTuple):
    """A changed line that the list does not explain: removed or added, its number from one, and its bytes."""

    is_old: bool
    number: int
    raw: bytes


@dataclass(frozen=True)
class VersionList:
    """What changes in a lock file. Every changed line is told by `packages`, counted, or one of `others`."""

    packages: tuple[PackageChange, ...]
    others: tuple[OtherLine, ...]
    moved: int = 0
    """Lines that only stand elsewhere."""
    reformatted: int = 0
    """Lines that say the same, written otherwise."""

    @property
    def is_formatting_only(self) -> bool:
        return not self.packages and not self.others

    def count(self, kind: str) -> int:
        """How many packages are `added`, `removed` or `changed`."""
        return sum(kind == _kind(each) for each in self.packages)


def has_versions(path: str) -> bool:
    """Whether a file of this name is listed by package."""
    return reader_of(path) is not None


def version_list(path: str, before: bytes, after: bytes) -> VersionList | None:
    """Compare two contents of a lock file; None if one of them is not written as its package manager writes it."""
    try:
        old, new = _Side.read(path, before), _Side.read(path, after)
    except NotALockFileError:
        return None
    if not old.lock.packages and not new.lock.packages:
        return None
    has_checksums = any(old.checksums(at) for at in range(len(old.lock.packages)))
    known = _Known(old.addresses, old.origins, has_checksums, bool(old.lock.packages))
    listed: list[PackageChange] = []
    told: dict[tuple[bool, int | None], bool] = {}
    for one, other in _pairs(old, new):
        change = _compared(old, one, new, other, known)
        if change is not None:
            told |= dict.fromkeys(((True, one), (False, other)), _is_shown(change))
            listed.append(change if _is_shown(change) else _shortened(change))
    listed.sort(key=lambda each: (not each.is_risk, _ORDER[_kind(each)], each.name.lower(), each.place))
    return VersionList(tuple(listed), *_unexplained(old, new, told))


_ORDER = {"changed": 0, "added": 1, "removed": 2}


def _kind(change: PackageChange) -> str:
    return "added" if change.before is None else "removed" if change.after is None else "changed"


Fields = Mapping[str, Sequence[str]]
"""The values of one package, by field."""


class _Side:
    def __init__(self, lines: list[bytes], lock: LockLines) -> None:
        self.lines, self.lock = lines, lock
        self.fields: list[dict[str, list[str]]] = [defaultdict(list) for _ in lock.packages]
        for fact in lock.facts:
            if fact is not None and fact.field:
                self.fields[fact.package][fact.field].append(fact.value)
        every = {value for fields in self.fields for values in fields.values() for value in values}
        self.addresses = {address for value in every for address in _ADDRESS.findall(value)}
        self.origins = {origin for address in self.addresses for origin in _origins(address)}

    @classmethod
    def read(cls, path: str, content: bytes) -> "_Side":
        lines = split_lines(content)
        lock = read_lock(path, content)
        if len(lock.facts) != len(lines):
            raise NotALockFileError(path)
        return cls(lines, lock)

    def version(self, package: int) -> str:
        return self.lock.packages[package].version or ", ".join(dict.fromkeys(self.fields[package].get("version", ())))

    def checksums(self, package: int) -> list[str]:
        return [
            found for values in self.fields[package].values() for value in values for found in _CHECKSUM.findall(value)
        ]


class _Known(NamedTuple):
    """What the lock file had before."""

    addresses: set[str]
    origins: set[str]
    has_checksums: bool
    has_packages: bool


def _pairs(old: _Side, new: _Side) -> Iterator[tuple[int | None, int | None]]:
    """Each package with the one it becomes: the same version first, then the same place, then the same name."""
    left, right = dict.fromkeys(range(len(old.lock.packages))), dict.fromkeys(range(len(new.lock.packages)))

    def same_version(side: _Side, at: int) -> tuple[str, ...]:
        return (*side.lock.packages[at][:2], side.version(at))

    def same_place(side: _Side, at: int) -> tuple[str, ...]:
        return side.lock.packages[at][:2]

    def same_name(side: _Side, at: int) -> tuple[str, ...]:
        return (side.lock.packages[at].name,)

    keys: tuple[Callable[[_Side, int], tuple[str, ...]], ...] = (same_version, same_place, same_name)
    for key in keys:
        waiting: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for at in left:
            waiting[key(old, at)].append(at)
        for at in [*right]:
            if candidates := waiting.get(key(new, at)):
                one = candidates.pop(0)
                del left[one], right[at]
                yield one, at
    yield from ((at, None) for at in left)
    yield from ((None, at) for at in right)


def _compared(old: _Side, one: int | None, new: _Side, other: int | None, known: _Known) -> PackageChange | None:
    if one is None:
        assert other is not None
        return _change(new.lock.packages[other], None, new.version(other), tuple(_new_notes(new, other, known)))
    if other is None:
        return _change(old.lock.packages[one], old.version(one), None, ())
    was, now = old.lock.packages[one], new.lock.packages[other]
    versions = old.version(one), new.version(other)
    notes = tuple(_changed_notes(old, one, new, other, known))
    if not notes and versions[0] == versions[1]:
        notes = tuple(_plain_notes(old.fields[one], new.fields[other]))
    if was.place != now.place:
        notes += (_field("place", was.place or was.name, now.place or now.name),)
    return _change(now, *versions, notes) if notes or versions[0] != versions[1] else None


def _change(
    package: LockPackage, before: str | None, after: str | None, notes: tuple[PackageNote, ...]
) -> PackageChange:
    old, new = (None if version is None else visible_name(version) for version in (before, after))
    return PackageChange(visible_name(package.name), visible_name(package.place), old, new, notes)


def _new_notes(side: _Side, at: int, known: _Known) -> Iterator[PackageNote]:
    name, version = side.lock.packages[at].name, side.version(at)
    yield from _source_notes((), side, at, known)
    if known.has_checksums and not side.checksums(at):
        yield PackageNote(NoteKind.NO_CHECKSUM, is_risk=True)
    for label, values in side.fields[at].items():
        if _SCRIPT.fullmatch(label) and "true" in values:
            yield PackageNote(NoteKind.SCRIPT, is_risk=True)
        elif label != "version":
            rest = [value for value in dict.fromkeys(values) if not _is_told(value, name, version)]
            if rest:
                yield _field(label, "", ", ".join(rest))


def _changed_notes(old: _Side, one: int, new: _Side, other: int, known: _Known) -> Iterator[PackageNote]:
    before, after = old.fields[one], new.fields[other]
    names = old.lock.packages[one].name, new.lock.packages[other].name
    versions = old.version(one), new.version(other)
    yield from _source_notes([*_addresses(old, one)], new, other, known)
    yield from _checksum_notes(Counter(old.checksums(one)), Counter(new.checksums(other)), versions[0] == versions[1])
    for label in dict.fromkeys((*before, *after)):
        lost, gained = _differences(before.get(label, ()), after.get(label, ()))
        if label == "version" or not (lost or gained):
            continue
        if _SCRIPT.fullmatch(label) and "true" in gained:
            yield PackageNote(NoteKind.SCRIPT, is_risk=True)
            continue
        lost = [each for each in lost if not _is_told(each, names[0], versions[0])]
        gained = [each for each in gained if not _is_told(each, names[1], versions[1])]
        if lost or gained:
            yield _field(label, ", ".join(lost), ", ".join(gained))


def _plain_notes(before: Fields, after: Fields) -> Iterator[PackageNote]:
    """Every field that differs, as it is."""
    for label in dict.fromkeys((*before, *after)):
        lost, gained = _differences(before.get(label, ()), after.get(label, ()))
        if lost or gained:
            yield _field(label, ", ".join(lost), ", ".join(gained))


def _checksum_notes(before: Counter[str], after: Counter[str], is_same_version: bool) -> Iterator[PackageNote]:
    if before and not after:
        yield PackageNote(NoteKind.CHECKSUM_GONE, is_risk=True)
    elif gained := after - before:
        if is_same_version and before:
            yield PackageNote(NoteKind.CHECKSUM_ALONE, "", _listed(before - after), _listed(gained), is_risk=True)
        else:
            yield PackageNote(NoteKind.CHECKSUM, str(len(gained)))
    elif before - after:
        yield _field("checksum", ", ".join(before - after), "")


def _source_notes(before: Sequence[str], side: "_Side", at: int, known: _Known) -> Iterator[PackageNote]:
    """Where it comes from, unless that is an address of the same place that names the package and its version."""
    after = [*_addresses(side, at)]
    lost, gained = _differences(before, after)
    if not gained:
        if lost:
            yield _field("source", ", ".join(lost), "")
        return
    name, version = side.lock.packages[at].name, side.version(at)
    origins = {origin for address in after for origin in _origins(address)}
    strangers = origins - known.origins if known.has_packages else set()
    elsewhere = bool(before) and bool(origins - {origin for each in before for origin in _origins(each)})
    known_as = known.addresses | {_CHECKSUM.sub("", each) for each in before}
    odd = [each for each in gained if _CHECKSUM.sub("", each) not in known_as and not _is_named(each, name, version)]
    if strangers or elsewhere or odd:
        is_risk = bool(strangers) or elsewhere or (bool(odd) and known.has_packages)
        yield PackageNote(NoteKind.SOURCE, "", _listed(lost), _listed(gained), is_risk)
    elif not before:
        yield PackageNote(NoteKind.FROM, "", "", ", ".join(map(visible_name, sorted(origins))))


def _is_named(address: str, name: str, version: str) -> bool:
    """Whether an address is the usual one of this package and version: another package of the same host is not."""
    place, mark, _ = address.partition("/-/")
    if mark and not place.replace("%2f", "/").replace("%2F", "/").endswith(f"/{name}"):
        return False
    file = _plain(address.rpartition("/")[2])
    if version and file.startswith(f"{_plain(name.rpartition('/')[2])}-{_plain(version.split(' ')[0])}"):
        return True
    return not mark and f"/{name}/" in address and "/" in name


def _plain(name: str) -> str:
    return _SEPARATORS.sub("-", name.lower())


def _addresses(side: _Side, at: int) -> Iterator[str]:
    for values in side.fields[at].values():
        for value in values:
            yield from _ADDRESS.findall(value)


def _origins(value: str) -> Iterator[str]:
    for address in _ADDRESS.findall(value):
        found = _ORIGIN.match(address)
        yield found[1].lower() if found else address


def _is_told(value: str, name: str, version: str) -> bool:
    """Whether the notes about sources and checksums say all of a value; a file has to be named as its package."""
    rest = _CHECKSUM.sub("", _ADDRESS.sub("", value))
    if rest == value:
        return False
    named = f"{_plain(name)}-{_plain(version.split(' ')[0])}"
    rest = _FILE.sub(lambda found: "" if _plain(found[1]).startswith(named) else found[0], rest)
    return not _LABEL.sub("", rest).strip(" \t\"'{},[]#")


def _differences(before: Iterable[str], after: Iterable[str]) -> tuple[list[str], list[str]]:
    old, new = Counter(before), Counter(after)
    return [*(old - new)], [*(new - old)]


def _listed(values: Iterable[str]) -> str:
    return ", ".join(map(visible_line, values))


def _field(name: str, before: str, after: str) -> PackageNote:
    return PackageNote(NoteKind.FIELD, visible_line(name), visible_line(before), visible_line(after))


def _is_shown(change: PackageChange) -> bool:
    """Whether all of it is short enough to stand in the list."""
    texts = (change.name, change.place, change.before or "", change.after or "")
    notes = (text for note in change.notes for text in (note.name, note.before, note.after))
    return all(len(text) <= LONGEST_VALUE for text in (*texts, *notes))


def _shortened(change: PackageChange) -> PackageChange:
    """As much as there is room for; its lines are shown as well."""
    notes = tuple(
        note._replace(name=_cut(note.name), before=_cut(note.before), after=_cut(note.after)) for note in change.notes
    )
    before, after = (None if text is None else _cut(text) for text in (change.before, change.after))
    return PackageChange(_cut(change.name), _cut(change.place), before, after, notes)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}⋯"


def _unexplained(
    old: _Side, new: _Side, told: dict[tuple[bool, int | None], bool]
) -> tuple[tuple[OtherLine, ...], int, int]:
    """Lines that no listed package explains, and how many changed lines only moved or are written otherwise."""
    others: list[OtherLine] = []
    same: tuple[Counter[bytes], Counter[bytes]] = Counter(), Counter()
    for change in changes(old.lines, new.lines):
        for side, is_old, first, end in (
            (old, True, change.old_start, change.old_end),
            (new, False, change.new_start, change.new_end),
        ):
            for at in range(first, end):
                fact, raw = side.lock.facts[at], side.lines[at]
                is_told = told.get((is_old, fact.package)) if fact is not None else None
                if is_told is False or (fact is None and raw.strip(b" \t\r\n}],")):
                    others.append(OtherLine(is_old, at + 1, raw))
                elif is_told is None:
                    same[is_old][raw.rstrip(b"\n")] += 1
    moved = sum((same[0] & same[1]).values())
    rest, ends = _without_other_ends(others)
    return rest, moved, max(sum(same[0].values()), sum(same[1].values())) - moved + ends


def _without_other_ends(lines: list[OtherLine]) -> tuple[tuple[OtherLine, ...], int]:
    """The lines without those that differ in their line ends alone, and how many those are."""
    texts = [Counter(line.raw.rstrip(b"\r\n") for line in lines if line.is_old is side) for side in (True, False)]
    raws = [Counter(line.raw for line in lines if line.is_old is side) for side in (True, False)]
    if texts[0] != texts[1] or raws[0] == raws[1]:
        return tuple(lines), 0
    return (), sum(texts[0].values())
