"""Relays MCP between an agent's stdio and the planning socket.

Agents start this as their MCP server. It knows nothing of plans: it presents the token of its session and copies bytes
both ways until one end closes. It is also run by its path alone, without the package around it.
"""

import os
import socket
import sys
import threading

SOCKET_VARIABLE = "TANDEM_PLANNING_SOCKET"
TOKEN_VARIABLE = "TANDEM_PLANNING_TOKEN"

CHUNK = 64 * 1024
"""What is held at most in each direction: the next piece is read when this one has been handed on."""
BAD_CALL = 2
UNREACHABLE = 4
INTERRUPTED = 130


def main(session_id: str = "") -> int:
    """Be the relay of one agent, with the session it was started for; answers the exit code."""
    path = os.environ.get(SOCKET_VARIABLE, "")
    token = os.environ.get(TOKEN_VARIABLE, "")
    if not path or not token:
        missing = TOKEN_VARIABLE if path else SOCKET_VARIABLE
        return _complain(
            f"{missing} is not set: only Tandem can start the planning tools of a session.",
            "Serve the workspace's plans without a session instead: tandem mcp",
            BAD_CALL,
        )
    engine = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        engine.connect(path)
        engine.sendall(f"{token} {session_id}".rstrip().encode() + b"\n")
    except OSError as error:
        return _complain(
            f"the session behind {path} cannot be reached: {error.strerror or error}.",
            "Start the session again in Tandem; its planning tools end with it.",
            UNREACHABLE,
        )
    try:
        copy_both_ways(engine)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def copy_both_ways(engine: socket.socket, source: int = 0, target: int = 1) -> None:
    """Copy until the engine closes or `target` is gone; the end of `source` is passed on, and answers still come."""
    threading.Thread(target=_copy_in, args=(source, engine), daemon=True).start()
    try:
        while data := engine.recv(CHUNK):
            _write_all(target, data)
    except OSError:
        pass  # the reader is gone, or the engine ended
    finally:
        engine.close()


def _copy_in(source: int, engine: socket.socket) -> None:
    try:
        while data := os.read(source, CHUNK):
            engine.sendall(data)
        engine.shutdown(socket.SHUT_WR)
    except OSError:
        return  # the other direction sees the end and ends the relay


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _complain(message: str, following: str, code: int) -> int:
    sys.stderr.write(f"tandem mcp: {message}\nNext: {following}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
