"""What keeps this program from making user namespaces, and the smallest remedy."""

import os
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.processes.own_program import is_frozen

PROFILE = "tandem-desktop"
"""The AppArmor profile of the package."""
INSTALLED_PROGRAM = Path("/usr/lib/tandem-desktop/tandem")
"""The executable of the package; `tandem` and `tandem-desktop` in /usr/bin are links to it."""
PROFILES = Path("/etc/apparmor.d")
_SOURCE_PROFILE = f"{PROFILE}-source"
_FORBIDDING = {"user/max_user_namespaces": "0", "kernel/unprivileged_userns_clone": "0"}
_APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
_WITHOUT_PROFILE = ("", "unconfined", "unprivileged_userns")
"""Labels of a process that no profile of its own was found for; the last one is what the kernel makes of `unconfined`
in a restricted namespace."""
_SYS_ADMIN = 1 << 21
_SPECIAL = frozenset('\\"*?[]{}^')


@dataclass(frozen=True, slots=True)
class NamespaceLimits:
    """What restricts user namespaces, and what AppArmor knows of this program."""

    forbidden_by: tuple[str, ...]
    """Kernel settings that forbid them to every program."""
    is_restricted: bool
    """True if AppArmor leaves them only to programs whose profile says so."""
    program: Path
    """The executable that starts bwrap and unshare, by the name AppArmor compares: without links."""
    profile: str
    """The profile this process runs under; empty if it has none."""
    is_installed: bool
    """True if the profile of the package is among those of the machine."""
    is_disabled: bool

    @property
    def are_allowed(self) -> bool:
        return not self.forbidden_by and (not self.is_restricted or bool(self.profile))

    @property
    def description(self) -> str:
        found = ", ".join(self.forbidden_by)
        if found:
            return f"User namespaces are off for every program of this machine: {found}."
        if not self.is_restricted:
            return "User namespaces are allowed."
        restricted = f"User namespaces are restricted by AppArmor ({_setting(_APPARMOR, '1')})"
        if self.profile:
            return f"{restricted}; the profile {self.profile} is loaded for {self.program}."
        return f"{restricted}, and no profile is loaded for {self.program}."

    @property
    def remedy(self) -> str:
        """The smallest change that allows them to this program; empty if they are allowed."""
        if self.forbidden_by:
            return (
                "An administrator chose this for the whole machine, and it has no exceptions. Ask whether it may "
                "change; until then agents work in a copy, confined by Landlock where this kernel can."
            )
        if self.are_allowed:
            return ""
        return self._load_own() if self.program == INSTALLED_PROGRAM else self._make_profile()

    def _load_own(self) -> str:
        place = PROFILES / PROFILE
        if self.is_disabled:
            disabled = PROFILES / "disable" / PROFILE
            return f"An administrator disabled it. To enable it: sudo rm {disabled} && sudo apparmor_parser -r {place}"
        if self.is_installed:
            return f"Load it, then start Tandem again: sudo apparmor_parser -r {place}"
        return f"Install {place}, then start Tandem again: sudo dpkg-reconfigure {PROFILE}"

    def _make_profile(self) -> str:
        place = PROFILES / _SOURCE_PROFILE
        scope = (
            ""
            if is_frozen()
            else (
                f", which is for everything that {self.program} runs (a virtual environment made with --copies has an "
                "interpreter of its own)"
            )
        )
        return (
            f"Install the .deb, which brings a profile for Tandem alone. Or load this one{scope}:\n"
            f"sudo tee {place} >/dev/null <<'END'\n"
            f"{profile_text(_SOURCE_PROFILE, self.program)}"
            "END\n"
            f"sudo apparmor_parser -r {place}"
        )


def namespace_limits(root: Path = Path("/")) -> NamespaceLimits:
    """Read from the files of the kernel and of AppArmor below `root`."""
    switches = root / "proc/sys"
    profiles = root / PROFILES.relative_to("/")
    label = _text(root / "proc/self/attr/apparmor/current").strip("\0\n ")
    profile = label.rpartition(" (")[0] or label
    return NamespaceLimits(
        forbidden_by=tuple(
            _setting(name, shut) for name, shut in _FORBIDDING.items() if _text(switches / name).strip() == shut
        ),
        is_restricted=not _may_administer(root) and _text(switches / _APPARMOR).strip() == "1",
        program=_program(root),
        profile="" if profile in _WITHOUT_PROFILE else profile,
        is_installed=(profiles / PROFILE).is_file(),
        is_disabled=os.path.lexists(profiles / "disable" / PROFILE),
    )


def profile_text(name: str, program: Path) -> str:
    """A profile that allows everything a program without one may do, and user namespaces.

    Programs it starts inherit it, unless they have a profile of their own.
    """
    return f"""\
# Forbids nothing; it exists to allow user namespaces, which the sandbox of Tandem needs.

abi <abi/4.0>,
include <tunables/global>

profile {name} {_quoted(program)} flags=(unconfined) {{
  userns,

  include if exists <local/{name}>
}}
"""


def _quoted(program: Path) -> str:
    """A path as AppArmor reads it: no character in it is a pattern."""
    letters = (f"\\{each}" if each in _SPECIAL else each for each in str(program))
    return f'"{"".join(letters)}"'


def _program(root: Path) -> Path:
    try:
        return (root / "proc/self/exe").readlink()
    except OSError:
        return Path("/proc/self/exe")


def _may_administer(root: Path) -> bool:
    """True for a process with CAP_SYS_ADMIN, as root has it: AppArmor restricts only the others."""
    for line in _text(root / "proc/self/status").splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) & _SYS_ADMIN)
    return False


def _setting(name: str, value: str) -> str:
    return f"{name.replace('/', '.')}={value}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
