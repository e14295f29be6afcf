"""Run every benchmark, or those named, and print one table: `python -m tests.benchmarks [--rounds 9] [NAME …]`."""

import argparse
import importlib
import inspect
from pathlib import Path

HELPERS = {"__main__", "__init__", "commits", "reading_keys", "releases", "rounds"}
BY_NAME = {"attention"}
"""Takes minutes and downloads releases, so it runs only when it is named."""


def main() -> None:
    every = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in HELPERS)
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Ratios, not seconds.")
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured (9)")
    parser.add_argument("--count", type=int, help="how many plans, of a benchmark that makes a corpus")
    parser.add_argument("--archives", type=Path, help="a folder of source archives, of a benchmark that needs packages")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(every)}")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(every))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    print(f"Ours / anchor: median [range] of the ratios of same rounds; {options.rounds} rounds, shuffled.")
    for name in options.names or [each for each in every if each not in BY_NAME]:
        print(f"{name}:")
        run = importlib.import_module(f"tests.benchmarks.{name}").run
        given = {"count": options.count, "archives": options.archives}
        taken = {key: value for key, value in given.items() if value and key in inspect.signature(run).parameters}
        for what, figures in run(options.rounds, **taken):
            print(f"  {what:<38} {figures}", flush=True)


if __name__ == "__main__":
    main()
