"""The entry point of the tandem command; imports lazily."""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop import __version__
from tandem_desktop.processes.own_program import leave_bundle_out_of

if TYPE_CHECKING:
    from tandem_desktop.background import Background
    from tandem_desktop.domain.agent_protocol import AgentProfile
    from tandem_desktop.domain.ids import OperationId
    from tandem_desktop.services.engine import Engine

_SELDOM = 20_000
"""How many new objects make the interpreter look for those that are not needed any more; it would be 700."""


def main(argv: list[str] | None = None) -> int:
    """Do one call and answer its exit code."""
    words, level = _log_choice(sys.argv[1:] if argv is None else argv)
    leave_bundle_out_of(os.environ)
    if words == ["--version"]:
        sys.stdout.write(f"tandem {__version__}\n")
        return 0
    if not level:
        return _call(words)
    from tandem_desktop.storage.logs import StderrLog, choose_log_level

    if complaint := choose_log_level(level):
        sys.stderr.write(f"tandem: {complaint}\n")
    if _is_window_call(words):  # it has a file and a page for its log
        return _call(words)
    log = StderrLog()
    log.listen()
    try:
        return _call(words)
    finally:
        log.leave()


def _log_choice(words: list[str]) -> tuple[list[str], str]:
    """The call without `--debug`, and the level it or TANDEM_LOG asks for; the parser lists the option for --help."""
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    level = "debug" if len(kept) < end else os.environ.get("TANDEM_LOG", "")
    return [*kept, *words[end:]], level


def _call(words: list[str]) -> int:
    if words[:2] == ["mcp", "--session"] and len(words) == 3:  # agents wait for it: nothing else is loaded
        from tandem_desktop.planning_tools import relay as planning_tool_relay

        return planning_tool_relay.main(words[2])
    if words[:1] == ["reap"] and len(words) > 2:  # only a frozen program is called so; see processes/reaper.py
        from tandem_desktop.processes import reaper

        return reaper.main(int(words[1]), words[2:])
    if words == ["network-helper"]:  # likewise; see leash/namespace_helper.py
        from tandem_desktop.leash import namespace_helper

        return namespace_helper.main()
    if words[:1] == ["landlock"] and len(words) > 2:  # likewise; see shadow/landlock_launcher.py
        from tandem_desktop.shadow import landlock_launcher

        return landlock_launcher.main(words[1], words[2:])
    if words == ["image-worker"]:  # likewise; see ui/diff/image_worker.py
        from tandem_desktop.ui.diff import image_worker

        return image_worker.main()
    if words == ["agent"]:  # ACP on stdin and stdout; needs no command line
        from tandem_desktop.builtin_agent import server as built_in

        return built_in.main()
    if words[:1] == ["agent"] and words[1:] in (["--list-models"], ["--try-model"]):  # asked by the page of the model
        from tandem_desktop.builtin_agent import model_probe

        return model_probe.main(words[1])
    # The usual way in: the window is on the screen before the command line would be loaded.
    if _is_window_call(words) and (code := _shown_window(words[1:])) is not None:
        return code
    gc.set_threshold(_SELDOM, *gc.get_threshold()[1:])  # nothing that is imported can be collected
    from tandem_desktop.cli.main import run_command_line

    return run_command_line(words or ["gui"], _build_engine, _open_window, _serve, _serve_editor)


def _build_engine(
    root: Path,
    *,
    state: Path | None = None,
    on_output: "Callable[[OperationId, bytes], None]" = lambda operation, chunk: None,
    lives_on: bool = False,
    gateway: bool = False,
) -> "Engine":
    from tandem_desktop.app.wiring import build_engine
    from tandem_desktop.settings_io import SETTINGS_FILE, WORKSPACE_FILE, config_directory, has_settings, load_settings
    from tandem_desktop.storage.paths import TANDEM_DIRECTORY

    settings = None
    files = config_directory() / SETTINGS_FILE, root / TANDEM_DIRECTORY / WORKSPACE_FILE
    if has_settings(*files):
        from tandem_desktop.diff.text import visible

        loaded = load_settings(*files)
        settings = loaded.settings
        for warning in loaded.warnings:
            sys.stderr.write(f"tandem: {visible(warning)}\n")  # it quotes a file of the workspace
    return build_engine(root, state=state, on_output=on_output, lives_on=lives_on, settings=settings, gateway=gateway)


def _is_window_call(words: list[str]) -> bool:
    if len(words) == 2 and words[0] == "gui":
        return words[1][:1] not in ("", "-") and not Path(words[1]).is_file()  # a file becomes a plan first
    return words in ([], ["gui"])


def _shown_window(folder: list[str]) -> int | None:
    """The exit code of the window; nothing where there can be none, which the command line says better."""
    from tandem_desktop.domain.errors import TandemError

    try:
        return _open_window(Path(folder[0]).absolute() if folder else None, None, "")
    except TandemError:
        return None


def _open_window(root: Path | None, plan: str | None, words: str) -> int:
    from tandem_desktop.app.window import open_window

    return open_window(root, plan, words)


def _serve(root: Path, port: int, ready: Callable[[str, str], None]) -> None:
    try:
        from tandem_desktop.api.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "tandem_desktop":
            raise
        from tandem_desktop.domain.errors import NotInstalledError

        raise NotInstalledError("The HTTP server", "api") from error

    engine = _build_engine(root, lives_on=True, gateway=True)
    try:
        serve(engine, port, ready)
    finally:
        engine.close()


def _serve_editor(profile: "AgentProfile", root: Path | None, hosts: Sequence[str], wire: int) -> None:
    try:
        from tandem_desktop.acp_agent.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "tandem_desktop":
            raise
        from tandem_desktop.domain.errors import NotInstalledError

        raise NotInstalledError("The connection to agents and editors", "agent") from error
    from tandem_desktop.app.window import open_background
    from tandem_desktop.sessions.manager import Person

    def open_workspace(folder: Path, is_there: bool) -> "Background":
        return open_background(folder, person=Person(is_there=is_there), hosts=hosts)

    serve(profile, open_workspace, wire, root)


def main_window() -> int:
    """The `tandem-desktop` command: the window, on the folder named or chosen."""
    words = sys.argv[1:]
    return main(words if words == ["--version"] else ["gui", *words])
