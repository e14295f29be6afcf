"""Statements signed with the person's SSH key, as git signs: DSSE envelopes, checked against allowed signers."""

import base64
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from tandem_desktop.domain.approval import canonical
from tandem_desktop.domain.errors import BadInputError, GitError
from tandem_desktop.domain.strict_json import unique_keys
from tandem_desktop.execution.git_repository import GitRepository
from tandem_desktop.processes.child import find_program, scrubbed_environment
from tandem_desktop.storage import atomic

_TIMEOUT_S = 60.0
_MOST_BYTES = 64 * 1024 * 1024
_SSH_SIGNATURE = b"SSHSIG\0\0\0\1"


class SignedKind(NamedTuple):
    """What a signature is about; one of another kind never counts."""

    payload_type: str
    namespace: str


def signing_key(git: GitRepository) -> str:
    """The SSH key the person signs with, as git is set; empty where they sign with none."""
    return git.setting("user.signingKey") if git.setting("gpg.format") == "ssh" else ""


def signed(git: GitRepository, statement: dict[str, Any], kind: SignedKind) -> bytes:
    """The statement in an envelope with the person's signature.

    Raises:
        GitError: it could not be signed.
    """
    payload = canonical(statement)
    signature = _signature(git, _framed(payload, kind), kind)
    envelope = {
        "payloadType": kind.payload_type,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": "", "sig": base64.b64encode(signature).decode()}],
    }
    return canonical(envelope)


def opened(data: bytes, kind: SignedKind) -> tuple[Any, bytes, bytes]:
    """The statement of an envelope, with its payload and signature, which nobody has checked yet.

    Raises:
        ValueError, LookupError, TypeError, RecursionError: it is none.
    """
    if len(data) > _MOST_BYTES:
        raise ValueError
    envelope = _read(data)
    if envelope["payloadType"] != kind.payload_type or len(envelope["signatures"]) != 1:
        raise ValueError
    payload = base64.b64decode(envelope["payload"], validate=True)
    return _read(payload), payload, base64.b64decode(envelope["signatures"][0]["sig"], validate=True)


def signer_of(
    git: GitRepository, payload: bytes, signature: bytes, kind: SignedKind, allowed: Path | None = None
) -> tuple[str, str]:
    """Who signed a payload, and why that does not count; `allowed` are the signers who count, by default git's."""
    named = str(allowed) if allowed is not None else git.setting("gpg.ssh.allowedSignersFile")
    signers = Path(named).expanduser() if named else None
    if signers is None or not signers.is_file():
        return "", "nobody is known whose signature would count (--allowed-signers FILE)"
    if not _is_of_this_version(signature):
        return "", "its signature cannot be read"
    with tempfile.TemporaryDirectory(prefix="tandem-sign-") as folder:
        kept = Path(folder, "sig")
        atomic.replace(kept, signature, durable=False)
        found = _keygen(git, "-Y", "find-principals", "-s", str(kept), "-f", str(signers))
        names = found.stdout.decode("utf-8", "replace").split("\n")
        who = names[0].strip() if found.returncode == 0 else ""
        if not who:
            return "", "it is signed by nobody whose signature counts"
        words = ("-Y", "verify", "-n", kind.namespace, "-f", str(signers), "-I", who, "-s", str(kept))
        if _keygen(git, *words, data=_framed(payload, kind)).returncode:
            return who, "its signature does not fit what it says"
    return who, ""


def _is_of_this_version(signature: bytes) -> bool:
    """Whether it is what `ssh-keygen -Y sign` writes; ssh-keygen itself takes earlier versions, too."""
    lines = signature.split(b"\n")
    try:
        return base64.b64decode(b"".join(lines[1:-2]), validate=True).startswith(_SSH_SIGNATURE)
    except ValueError:
        return False


def _framed(payload: bytes, kind: SignedKind) -> bytes:
    """What is signed, as DSSE has it."""
    name = kind.payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(name), name, len(payload), payload)


def _read(data: bytes) -> Any:
    return json.loads(data, object_pairs_hook=unique_keys)


def _signature(git: GitRepository, data: bytes, kind: SignedKind) -> bytes:
    key = signing_key(git)
    with tempfile.TemporaryDirectory(prefix="tandem-sign-") as folder:
        name = key
        if key.startswith(("key::", "ssh-")):
            name = f"{folder}/key.pub"
            atomic.replace(Path(name), key.removeprefix("key::").encode() + b"\n", durable=False)
        message = Path(folder, "statement")
        atomic.replace(message, data, durable=False)
        made = _keygen(git, "-Y", "sign", "-n", kind.namespace, "-f", str(Path(name).expanduser()), str(message))
        if made.returncode or not message.with_suffix(".sig").exists():
            said = " ".join(made.stderr.decode("utf-8", "replace").split())
            raise GitError(f"The statement could not be signed: {said}", next="ssh-add -l")
        return message.with_suffix(".sig").read_bytes()


def _keygen(git: GitRepository, *words: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    program = find_program("ssh-keygen", outside=git.top)
    if program is None:
        raise BadInputError("ssh-keygen was not found.", next="Install OpenSSH, then try again.")
    try:
        return subprocess.run(
            [program, *words],
            env=scrubbed_environment(git.agent_environment()),
            input=data,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise GitError("ssh-keygen did not come to an end.", next="Try it in a terminal.") from error
