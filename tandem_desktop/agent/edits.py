"""What may become of one file, as a value that is shown before it is made."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WriteFile:
    """A file will hold exactly these bytes; `mode` None keeps the mode there is."""

    path: str
    data: bytes
    description: str
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file, a link or a folder with what is in it goes."""

    path: str
    description: str


@dataclass(frozen=True, slots=True)
class MoveFile:
    """A file, a link or a folder gets another path, which must be free."""

    path: str
    to: str
    description: str


@dataclass(frozen=True, slots=True)
class ChangeMode:
    """A file gets other permissions."""

    path: str
    mode: int
    description: str


@dataclass(frozen=True, slots=True)
class MakeLink:
    """A symbolic link appears."""

    path: str
    target: str
    description: str


Edit = WriteFile | DeleteFile | MoveFile | ChangeMode | MakeLink
