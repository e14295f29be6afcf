"""Owns an empty network of its own, opens sockets in it and hands them to Tandem.

Everything sent to any address stays in this network and meets a closed port, so it is refused at once. The refusals can
be seen on a packet socket. Runs until the socket on its standard input is closed; it needs only the standard library.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

_LOOPBACK = "lo"
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_RTM_NEWROUTE, _REQUEST_CREATE_ACK = 24, 0x0001 | 0x0400 | 0x0004
_TABLE_LOCAL, _BOOT, _HOST_SCOPE, _RTN_LOCAL, _RTA_OIF = 255, 3, 254, 2, 4
_ALL_PROTOCOLS = 3
_SO_ATTACH_FILTER = 26
_SEEN_BYTES = 576
_REFUSALS = (
    (0x30, 0, 0, 0),  # the version
    (0x54, 0, 0, 0xF0),
    (0x15, 0, 6, 0x40),  # of IPv4, else to the ninth step
    (0x30, 0, 0, 9),
    (0x15, 10, 0, 1),  # ICMP
    (0x15, 0, 10, 6),  # TCP
    (0xB1, 0, 0, 0),
    (0x50, 0, 0, 13),
    (0x45, 6, 7, 4),  # a reset
    (0x15, 0, 6, 0x60),  # of IPv6
    (0x30, 0, 0, 6),
    (0x15, 3, 0, 58),  # ICMP
    (0x15, 0, 3, 6),  # TCP
    (0x30, 0, 0, 53),
    (0x45, 0, 1, 4),  # a reset
    (0x06, 0, 0, _SEEN_BYTES),
    (0x06, 0, 0, 0),
)
"""Only answers that refuse something: resets of TCP, and messages of ICMP."""


def main() -> int:
    engine = socket.socket(fileno=0)
    bring_up()
    packets = _packets()
    _answer(engine, "ready", packets)
    while request := engine.recv(4096):
        family, host, port = request.decode().split()
        try:
            listener = _listener(socket.AF_INET6 if family == "6" else socket.AF_INET, host, int(port))
        except OSError as error:
            _answer(engine, f"error {error.strerror or error}", None)
            continue
        with listener:
            _answer(engine, f"port {listener.getsockname()[1]}", listener)
    return 0


def bring_up() -> None:
    """Let every address lead to this network's own loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh", _LOOPBACK.encode(), 0)
        flags = struct.unpack("16sh", fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh", _LOOPBACK.encode(), flags | _IFF_UP))
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            _all_is_local(family)
        except OSError:  # such a system has no addresses of this family; what is sent there is unreachable
            continue


def _all_is_local(family: int) -> None:
    route = struct.pack("BBBBBBBBI", family, 0, 0, 0, _TABLE_LOCAL, _BOOT, _HOST_SCOPE, _RTN_LOCAL, 0)
    attribute = struct.pack("HHI", 8, _RTA_OIF, socket.if_nametoindex(_LOOPBACK))
    length = 16 + len(route) + len(attribute)
    header = struct.pack("IHHII", length, _RTM_NEWROUTE, _REQUEST_CREATE_ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
        netlink.send(header + route + attribute)
        error = struct.unpack_from("i", netlink.recv(4096), 16)[0]
    if error:
        raise OSError(-error, os.strerror(-error))


def _listener(family: int, host: str, port: int) -> socket.socket:
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            found.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        found.bind((host, port))
        found.listen(socket.SOMAXCONN)
    except BaseException:
        found.close()
        raise
    return found


def _packets() -> socket.socket | None:
    """What shows the refusals; None where this kernel has no such socket: then they are not listed."""
    try:
        found = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL_PROTOCOLS))
        program = b"".join(struct.pack("=HBBI", *step) for step in _REFUSALS)
        memory = ctypes.create_string_buffer(program, len(program))
        described = struct.pack("HP", len(_REFUSALS), ctypes.addressof(memory))
        found.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)
    except OSError:
        return None
    return found


def _answer(engine: socket.socket, words: str, handed: socket.socket | None) -> None:
    socket.send_fds(engine, [words.encode()], [handed.fileno()] if handed is not None else [])


if __name__ == "__main__":
    sys.exit(main())
