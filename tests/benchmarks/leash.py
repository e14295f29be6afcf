"""What the leash costs on 200 requests to a model on loopback, next to the same program in the open network."""

import asyncio
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tandem_desktop.domain.network import AllowedHost
from tandem_desktop.leash.leash import Leash
from tandem_desktop.leash.proxy import UpstreamProxies
from tests.benchmarks.rounds import measure, row
from tests.support.shadows import ShadowPlace

REQUESTS = 200
ANSWER_S = 0.02
"""Quicker than any model: the larger share of a request is the leash's."""
_CLIENT = """
import http.client, os, sys, time
host, port, tunnel = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def opened():
    if tunnel:
        proxy = os.environ["http_proxy"].rpartition("/")[2].split(":")
        one = http.client.HTTPConnection(proxy[0], int(proxy[1]))
        one.set_tunnel(host, port)
        return one
    return http.client.HTTPConnection(host, port)
started = time.perf_counter()
for number in range(%d):
    if number %% 20 == 0:
        one = opened()
    one.request("POST", "/", body=b"x" * 4000)
    assert len(one.getresponse().read()) == 8000
print("took", time.perf_counter() - started)
"""


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(ANSWER_S)
        self.send_response(200)
        self.send_header("content-length", "8000")
        self.end_headers()
        self.wfile.write(b"x" * 8000)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        pass


def main(rounds: int = 9) -> None:
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name, _model() as port, _loop() as loop:
        place = ShadowPlace(Path(name), "overlay")
        place.open()
        before, joins_user = place.shadow.user_namespace()
        opening = Leash.open(
            [AllowedHost.parse(f"127.0.0.1:{port}")], before, joins_user=joins_user, upstream=UpstreamProxies({})
        )
        leash = asyncio.run_coroutine_threadsafe(opening, loop).result()
        path = {"PATH": os.environ["PATH"]}

        def took(tunnel: str = "", **options: object) -> float:
            client = Path(name) / "client.py"
            client.write_text(_CLIENT % REQUESTS)
            said = place.agent(f"/usr/bin/python3 '{client}' 127.0.0.1 {port} '{tunnel}'", **options)
            found = re.search(r"took ([\d.]+)", said)
            assert found, said
            return float(found[1])

        leashed = {"environment": {**path, **leash.environment}, "network_joining": leash.joining}
        found = measure(
            {
                "open": lambda: took(environment=path),
                "port": lambda: took(**leashed),
                "tunnel": lambda: took("tunnel", **leashed),
            },
            rounds,
        )
        asyncio.run_coroutine_threadsafe(leash.close(), loop).result()
        place.close()
    return [
        row("200 requests by the model's port", found["port"], found["open"], "open"),
        row("200 requests by the proxy", found["tunnel"], found["open"], "open"),
    ]


@contextmanager
def _model() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


if __name__ == "__main__":
    main()
