"""A perspective in words, for another mind to read."""

from collections.abc import Mapping

from tandem_desktop.domain.perspectives import Perspective, Perspectives

_TITLES: Mapping[str, str] = {
    "analysis": "Analysis",
    "strategic_analysis": "Strategy",
    "risk_assessment": "Risk",
    "rollback_strategy": "Way back",
    "estimated_effort": "Effort",
    "concerns": "Concerns",
    "recommendations": "Recommendations",
    "impact_areas": "Impact",
    "coordination_needs": "To coordinate",
    "affected_files": "Affected files",
    "code_patterns": "Patterns to follow",
    "potential_breaking_changes": "Could break",
    "testing_requirements": "To be tested",
    "deployment_impact": "Deployment",
    "services_affected": "Services",
    "infrastructure_changes": "Infrastructure",
    "dependencies": "Needed first",
}
"""Everything a voice can say, in the order it is told."""


def as_text(perspective: Perspective) -> str:
    """Every field that says something, one after the other."""
    said = perspective.model_dump(mode="json")
    lines: list[str] = []
    for name, title in _TITLES.items():
        value = said.get(name)
        if isinstance(value, list) and value:
            lines += [f"{title}:", *(f"- {each}" for each in value)]
        elif isinstance(value, str) and value:
            lines.append(f"{title}: {value}")
    return "\n".join(lines)


def all_as_text(found: Perspectives) -> str:
    """Every voice, and who is missing."""
    parts = [f"## {each.agent.value.upper()}\n\n{as_text(each)}" for each in found.voices]
    parts += [f"{lost.part.upper()} could not be heard: {lost.reason}" for lost in found.missing]
    return "\n\n".join(parts)


def titles() -> Mapping[str, str]:
    return _TITLES
