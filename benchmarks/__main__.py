"""``python -m benchmarks [NAME ...]``: measure, print a table each, say what is missed.

The exit state is 0 whatever comes out: a measurement is no test. Only ratios within one run
count; the same machine gives other times tomorrow.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path

from benchmarks.suites import SUITES, Settings
from benchmarks.tables import rendered


def main() -> None:
    """Run what the command line names, or everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"what to run: {', '.join(SUITES)} (default: all)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, no repetitions")
    parser.add_argument(
        "--full", action="store_true", help="also run TVM's BYOC passes at 290 regions (minutes)"
    )
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in SUITES]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(SUITES)}")
    settings = Settings(quick=given.quick, full=given.full)
    tables = []
    for name in given.names or SUITES:
        table = SUITES[name](settings)
        tables.append(table)
        print(rendered(table), end="\n\n", flush=True)
    missed = [f"{t.name}: {r.what}" for t in tables for r in t.missed]
    print("missed: " + ("; ".join(missed) if missed else "nothing"))
    if given.json is not None:
        document = {
            "python": platform.python_version(),
            "machine": platform.machine(),
            "quick": given.quick,
            "benchmarks": [t.as_json() for t in tables],
        }
        given.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
