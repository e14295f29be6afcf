"""What a person has said so far about the paths in question."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tandem_desktop.review.conflicts import Choice, Conflict, Resolution, Take


@dataclass(frozen=True, slots=True)
class Answers:
    """One `Resolution` for each path that was answered at all; a change makes a new value."""

    by_path: Mapping[str, Resolution] = field(default_factory=dict)

    def of(self, conflict: Conflict) -> Resolution:
        """What was said about a path; an answer to an older question is none."""
        said = self.by_path.get(conflict.path)
        return said if said is not None and said.seen == conflict.seen else _unanswered(conflict)

    def choice(self, conflict: Conflict, region: int) -> Choice | None:
        return self.of(conflict).regions.get(region)

    def with_region(self, conflict: Conflict, region: int, choice: Choice) -> "Answers":
        said = self.of(conflict)
        return self._with(replace(said, regions={**said.regions, region: choice}))

    def with_whole(self, conflict: Conflict, take: Take) -> "Answers":
        return self._with(replace(self.of(conflict), whole=take))

    def with_mode(self, conflict: Conflict, take: Take) -> "Answers":
        return self._with(replace(self.of(conflict), mode=take))

    def resolutions(self, conflicts: tuple[Conflict, ...]) -> tuple[Resolution, ...]:
        """What can be told about these; nothing about a path that was not answered."""
        said = (self.of(conflict) for conflict in conflicts)
        return tuple(each for each in said if each.whole is not None or each.regions or each.mode is not None)

    def open_regions(self, conflict: Conflict) -> tuple[int, ...]:
        said = self.of(conflict).regions
        return tuple(region.n for region in conflict.regions if region.n not in said)

    def is_complete(self, conflict: Conflict) -> bool:
        """Whether nothing about the path is left to ask."""
        said = self.of(conflict)
        if conflict.modes is not None and conflict.mode(said) is None:
            return False
        if conflict.regions:
            return conflict.resolved(said) is not None
        return conflict.modes is not None or said.whole in conflict.ways

    def _with(self, resolution: Resolution) -> "Answers":
        return Answers({**self.by_path, resolution.path: resolution})


def merged_so_far(conflict: Conflict, answers: Answers) -> bytes:
    """The content as the answers leave it; a region that is still open stands as it is on disk."""
    assert conflict.lines is not None
    said = answers.of(conflict)
    filled = {region.n: said.regions.get(region.n, Take.DISK) for region in conflict.regions}
    content = conflict.resolved(replace(said, regions=filled))
    assert content is not None
    return content


def _unanswered(conflict: Conflict) -> Resolution:
    return Resolution(conflict.path, seen=conflict.seen)
