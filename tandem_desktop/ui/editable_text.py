"""A file as text a person can edit, and back into bytes with every line they left alone exactly as it was."""

from dataclasses import dataclass

from tandem_desktop.staging.diff import changes

LARGEST = 1_000_000
_BOM = "\ufeff"
_LOST_IN_AN_EDITOR = ("\0", "\u2029")


@dataclass(frozen=True, slots=True)
class EditableText:
    """UTF-8 text of moderate size. Line ends and a byte order mark stay what they were."""

    text: str
    r"""With `\n` between lines."""
    ends: tuple[str, ...]
    """How each line but the last ends."""
    has_mark: bool

    @classmethod
    def of(cls, content: bytes) -> "EditableText | None":
        """The content as text; nothing where an editor could not give it back unharmed."""
        if len(content) > LARGEST:
            return None
        try:
            decoded = content.decode("utf-8")
        except UnicodeDecodeError:
            return None
        whole = decoded.removeprefix(_BOM)
        lines = whole.split("\n")
        ends = tuple("\r\n" if line.endswith("\r") else "\n" for line in lines[:-1])
        text = whole.replace("\r\n", "\n")
        if "\r" in text or any(each in text for each in _LOST_IN_AN_EDITOR):
            return None
        return cls(text, ends, decoded.startswith(_BOM))

    def encoded(self, edited: str) -> bytes:
        """What the person made of it. New lines end as most of the others do."""
        before, after = self.text.split("\n"), edited.split("\n")
        usual = "\r\n" if self.ends.count("\r\n") * 2 > len(self.ends) else "\n"
        ends = [usual] * len(after)
        old = new = 0
        for change in (*changes(_as_bytes(before), _as_bytes(after)), None):
            same = (change.old_start if change else len(before)) - old
            ends[new : new + same] = (*self.ends, usual)[old : old + same]
            old, new = (change.old_end, change.new_end) if change else (old, new)
        ends[-1] = ""
        made = "".join(line + end for line, end in zip(after, ends, strict=True))
        return ((_BOM if self.has_mark else "") + made).encode("utf-8")


def _as_bytes(lines: list[str]) -> list[bytes]:
    return [line.encode("utf-8", "surrogatepass") for line in lines]
