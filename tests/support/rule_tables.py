"""Write the rules of files as the JSON that is read: python -m tests.support.rule_tables, after they changed."""

import json
import tomllib
from pathlib import Path

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
TABLES = ("hazards", "path_rules")


def as_json(name: str) -> str:
    """Rules in the form in which they are read."""
    rules = tomllib.loads((RESOURCES / f"{name}.toml").read_text(encoding="utf-8"))
    return json.dumps(rules, ensure_ascii=False, indent=0, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for table in TABLES:
        (RESOURCES / f"{table}.json").write_text(as_json(table), encoding="utf-8")
