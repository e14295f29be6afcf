"""Try every attack, or the classes named, and print one table: `python -m tests.attacks [CLASS …]`."""

import argparse
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from tests.attacks import corpus
from tests.attacks.attack import Outcome


def main() -> int:
    classes = corpus.classes()
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description="Held, flagged or broken.")
    parser.add_argument("names", nargs="*", metavar="CLASS", help=f"one of: {', '.join(classes)}")
    names = parser.parse_args().names or classes
    if unknown := sorted(set(names) - set(classes)):
        parser.error(f"unknown: {', '.join(unknown)}")
    total: Counter[Outcome] = Counter()
    print(f"{'class':<24}{'held':>8}{'flagged':>9}{'broken':>8}")
    for name in names:
        counts: Counter[Outcome] = Counter()
        for attack in corpus.attacks(name):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    outcome = attack.run(Path(folder))
                except Exception:  # an attack that ends in an unexpected error has broken something
                    traceback.print_exc()
                    outcome = Outcome.BROKEN
            counts[outcome] += 1
            if outcome is Outcome.BROKEN:
                print(f"  broken: {attack.id}: {attack.what}", flush=True)
        total += counts
        print(_row(name, counts), flush=True)
    print(_row(f"all {total.total()}", total))
    return 1 if total[Outcome.BROKEN] else 0


def _row(name: str, counts: Counter[Outcome]) -> str:
    return f"{name:<24}{counts[Outcome.HELD]:>8}{counts[Outcome.FLAGGED]:>9}{counts[Outcome.BROKEN]:>8}"


if __name__ == "__main__":
    sys.exit(main())
