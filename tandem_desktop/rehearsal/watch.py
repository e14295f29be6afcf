"""Watch a rehearsed command from inside its sandbox: did it want the network, did it leave processes behind?"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass

_SCRIPT = """\
report=$1
pids=$2
shift 2
while [ "$pids" -gt 0 ]; do
    (:)
    pids=$((pids - 1))
done
"$@"
code=$?
{
    for each in /proc/[0-9]*/status; do
        while read -r name value rest; do
            [ "$name" = State: ] && echo "process $value"
        done < "$each"
    done
    for table in /proc/net/snmp /proc/net/snmp6; do
        while read -r line; do
            echo "$line"
        done < "$table"
    done
} > "$report" 2> /dev/null
exit $code
"""
"""Only what the shell itself can do: the search path inside is the command's own."""
_OWN_PROCESSES = 2
_ENDED = ("Z", "X")
_IN_VAIN = {("Ip:", "OutNoRoutes"), ("Tcp:", "AttemptFails"), ("Udp:", "NoPorts")}
"""What the kernel counts when somebody asks for a network, or for a service of this machine, that is not there."""
_IN_VAIN_6 = ("Ip6OutNoRoutes", "Udp6NoPorts")


@dataclass(frozen=True, slots=True)
class Watched:
    """What the watcher saw when the command had ended; nothing when it was not left the time."""

    wanted_network: bool = False
    left_processes: bool = False


def watched_argv(argv: Iterable[str], report: str, skipped_pids: int) -> tuple[str, ...]:
    """`argv` with somebody who writes `report` when it has ended; process numbers begin `skipped_pids` later."""
    shell = shutil.which("sh") or "/bin/sh"
    return (shell, "-c", _SCRIPT, "tandem-rehearsal", report, str(skipped_pids), *argv)


def read_report(text: str) -> Watched:
    """What the report says."""
    lines = [line.split() for line in text.splitlines()]
    running = sum(words[0] == "process" and words[1] not in _ENDED for words in lines if len(words) > 1)
    return Watched(wanted_network=_asked_in_vain(lines), left_processes=running > _OWN_PROCESSES)


def _asked_in_vain(lines: list[list[str]]) -> bool:
    names: dict[str, list[str]] = {}
    for words in lines:
        if not words:
            continue
        if words[0] in _IN_VAIN_6 and words[-1] != "0":
            return True
        if words[0] not in names:
            names[words[0]] = words
            continue
        counted = dict(zip(names[words[0]], words, strict=False))
        if any(counted.get(name, "0") != "0" for table, name in _IN_VAIN if table == words[0]):
            return True
    return False
