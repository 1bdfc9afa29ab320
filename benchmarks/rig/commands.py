"""The command line of `benchmarks/run`."""

import argparse
import json
import sys
from pathlib import Path

from rig.installs import Unavailable, install
from rig.load import WrongAnswer
from rig.processes import NotStarted
from rig.report import describe, format_report
from rig.results import store
from rig.rounds import FULL, QUICK, ROUNDS, measure


def main() -> int:
    """Installs, measures and reports; 0 where it could, whatever the numbers, 2 where it could not."""
    parser = argparse.ArgumentParser(
        prog="benchmarks/run", description="Measures the gateway beside its peers and its floors."
    )
    parser.add_argument(
        "--quick", action="store_true", help="short bursts: under a minute once everything is installed"
    )
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help=f"how often each is measured [{ROUNDS}]"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write ratios and raw numbers to a file")
    parser.add_argument(
        "--store", action="store_true", help="keep the result beside this commit's name, and redraw the chart"
    )
    asked = parser.parse_args()
    try:
        installed = install()
        for note in installed.notes:
            print(note, file=sys.stderr)
        result = describe(measure(installed, QUICK if asked.quick else FULL, asked.rounds))
    except (Unavailable, NotStarted, WrongAnswer) as fault:
        print(f"benchmarks/run: {fault}", file=sys.stderr)
        return 2
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(format_report(result))
    if asked.json is not None:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")
    if asked.store:
        print(f"stored in {store(result)}")
    return 0
