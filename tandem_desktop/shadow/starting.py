"""Start something in a shadow: in the sandbox where there is one, and where the shadow is mounted."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.processes.launch import Launch
from tandem_desktop.shadow.confinement import Confinement, Sandbox
from tandem_desktop.shadow.private_home import private_home
from tandem_desktop.shadow.temporary_files import searched_for_programs
from tandem_desktop.storage.workspace import Workspace


class Starting(ABC):
    """The part of a shadow that commands and agents are started through."""

    confinement: Confinement
    _sandbox: Sandbox
    _disk: Workspace

    @property
    def workspace(self) -> Path:
        """The workspace it is the shadow of."""
        return self._disk.path

    @property
    @abstractmethod
    def place(self) -> Path:
        """Where the tree can be reached from outside."""

    def launch(
        self,
        argv: Iterable[str],
        *,
        home: Path,
        environment: Mapping[str, str],
        cwd: str = ROOT,
        sockets: tuple[Path, ...] = (),
        network: bool = True,
        readable: tuple[Path, ...] = (),
        needed: tuple[Path, ...] = (),
    ) -> Launch:
        """How to start `argv` in the shadow: in the sandbox where there is one, else in the copy, held back by nothing.

        `home` is its private home, the only other place it can write; `sockets` are shown to it even where they lie in
        a covered place, and what is `readable` though it lies among temporary files. It says so, and does not start,
        where it cannot see what is `needed`. It ends with the thread that starts it, so that must be a lasting one.

        Raises:
            ShadowError: the shadow is not there, or the workspace is another folder than it was.
        """
        cwd = self._checked_cwd(cwd)
        private = private_home(home, environment)
        if not self.confinement.confined:
            return Launch(tuple(argv), private.environment, self.place / cwd)
        joining = self._joining()
        self._make_room_for_mask()
        inside = self._sandbox.argv(
            argv,
            home=private.path,
            cwd=self.workspace / cwd,
            sockets=sockets,
            network=network,
            readable=(*readable, *searched_for_programs(environment.get("PATH", ""))),
            needed=needed,
        )
        return Launch((*joining, *inside), private.environment, Path("/"))

    def rehearse(
        self, argv: Iterable[str], *, environment: Mapping[str, str], cwd: str, network: bool, report: Path
    ) -> Launch:
        """How to start a plan's own command in the shadow, as a run would start it, with exactly this environment.

        It can write the shadow, the file `report`, and what may be thrown away; what it writes in places outside that
        have layers lands there, and can be seen.

        Raises:
            ShadowError: there is no shadow, or nothing that could hold the command back.
        """
        cwd = self._checked_cwd(cwd)
        if not self.confinement.confined:
            raise ShadowError(
                f"Nothing can hold a command back here: {self.confinement.words}.",
                path=str(self.workspace),
                next="See what is missing with: tandem doctor",
            )
        inside = self._sandbox.rehearsal_argv(
            argv,
            cwd=self.workspace / cwd,
            network=network,
            report=report,
            stand_ins=self._stand_ins(),
            readable=searched_for_programs(environment.get("PATH", "")),
        )
        return Launch((*self._joining(), *inside), dict(environment), Path("/"))

    def written_outside(self) -> dict[Path, tuple[int, ...]]:
        """Places outside the workspace that rehearsed commands wrote, as far as that can be seen; none was changed."""
        return {}

    def _checked_cwd(self, cwd: str) -> str:
        """The folder to start in, in the workspace that it was."""
        self._disk.check_identity()
        return cwd if cwd == ROOT else check_path(cwd)

    def _joining(self) -> tuple[str, ...]:
        """The words before those of the sandbox, that lead to where the shadow is mounted.

        Raises:
            ShadowError: it is gone.
        """
        return ()

    def _stand_ins(self) -> Iterable[tuple[Path, Path]]:
        """Places outside the workspace that have layers, and where those are."""
        return ()

    @abstractmethod
    def _make_room_for_mask(self) -> None:
        """Let there be a folder to cover where Tandem keeps its own files."""
