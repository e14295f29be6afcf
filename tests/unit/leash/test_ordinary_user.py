"""An ordinary user's agent is held in by the same veil and the same leash as root's."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import tandem_desktop

_SCRIPT = """
import asyncio, http.server, json, socket, subprocess, sys, threading
from pathlib import Path
from tandem_desktop.domain.network import AllowedHost
from tandem_desktop.leash.leash import Leash
from tandem_desktop.leash.proxy import UpstreamProxies
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "7")
        self.end_headers()
        self.wfile.write(b"REACHED")
    def log_message(self, *words):
        pass

def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]

allowed, other = serve(), serve()
base = Path(sys.argv[1])
state, root, person = base / "state", base / "root", base / "person"
for folder in (state / "objects", root / "run", person, base / "beside"):
    folder.mkdir(parents=True)
(person / ".netrc").write_text("SECRET")
servers = []
for folder in (root / "run", person, base / "beside", Path("/var/tmp")):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / f"tandem-test-{allowed}"))
    server.listen()
    servers.append(server)
connect = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print('SOCKET')"

async def tried(kind):
    shadow = open_shadow(
        Workspace(root), state / "shadows" / kind, ObjectStore(state / "objects"), masked=(state,), kind=kind,
        person_home=person,
    )
    before, joins_user = shadow.user_namespace()
    rule = AllowedHost.parse(f"127.0.0.1:{allowed}")
    leash = await Leash.open([rule], before, joins_user=joins_user, upstream=UpstreamProxies({}))
    tries = "; ".join(f"/usr/bin/python3 -c \\"{connect}\\" '{each.getsockname()}'" for each in servers)
    script = (
        f"curl -sS http://127.0.0.1:{allowed}/; echo; {tries}; cat '{person}/.netrc'; "
        f"curl -sS http://refused.example/; curl -sS http://127.0.0.1:{other}/; curl -sS --noproxy '*' http://8.8.8.8/"
    )
    launch = shadow.launch(
        ["sh", "-c", script], home=state / "home", environment={"PATH": "/usr/bin:/bin", **leash.environment},
        network_joining=leash.joining,
    )
    ended = await asyncio.to_thread(
        subprocess.run, launch.argv, env=launch.environment, cwd=launch.cwd, capture_output=True, text=True
    )
    await leash.settle()
    refused = {f"{each.host}:{each.port}" for each in leash.report().refused}
    await leash.close()
    veiled = (shadow._sandbox.view != Path("/"))
    shadow.discard()
    said = ended.stdout + ended.stderr
    return {
        "veiled": veiled, "reached": said.count("REACHED"), "sockets": said.count("SOCKET"), "secret": "SECRET" in said,
        "refused": refused == {"refused.example:80", f"127.0.0.1:{other}", "8.8.8.8:80"},
    }

async def main():
    print(json.dumps({kind: await tried(kind) for kind in ("overlay", "copy")}))

asyncio.run(main())
for server in servers:
    Path(server.getsockname()).unlink()
"""


def test_an_agent_of_an_ordinary_user_is_leashed_and_sees_no_socket_and_no_home() -> None:
    if os.geteuid() != 0:
        pytest.skip("the other tests already run as an ordinary user")
    python = "/usr/bin/python3"
    libraries = [entry for entry in sys.path if entry.endswith("site-packages")]
    environment = {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join([str(Path(tandem_desktop.__file__).parents[1]), *libraries]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    become = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    able = subprocess.run([*become, python, "-c", "import pydantic"], env=environment, capture_output=True, check=False)
    if able.returncode:
        pytest.skip("an ordinary user finds no Python with Tandem's libraries here")
    base = Path(tempfile.mkdtemp(dir="/tmp"))
    base.chmod(0o777)
    try:
        ended = subprocess.run(
            [*become, python, "-c", _SCRIPT, str(base / "m")],
            env={**environment, "HOME": str(base)},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(base)
    assert ended.returncode == 0, ended.stderr
    held = {"veiled": True, "reached": 1, "sockets": 0, "secret": False, "refused": True}
    assert json.loads(ended.stdout) == {"overlay": held, "copy": held}
