"""What the importer finds, and what it takes: `make bench-import` prints one table of figures and one of times.

Figures: every form in tests/ingest/parser/forms, and with READTRACK_TEST_SAMPLES (a folder that holds score_import.py
and public/) every sample there, by that folder's own scorer. Times: processor seconds of parser.parse in a fresh
process.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.import_forms import FORMS, written
from readtrack.ingest import parser
from tests.ingest.parser import truth

SIZES = (1_000, 10_000)  # 100,000 lines of every form take ten times as long: `--sizes 100000`
MEGABYTE = 1_000_000
KIBIBYTES_A_MEGABYTE = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forms", default=",".join(FORMS), help="which forms to time")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of lines")
    parser.add_argument("--child", nargs=2, metavar=("FORM", "LINES"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(measured(asked.child[0], int(asked.child[1]))))
        return
    print_figures()
    print_times(asked.forms.split(","), [int(size) for size in asked.sizes.split(",")])


def measured(form: str, lines: int) -> dict[str, float]:
    """Processor seconds and memory of reading a note of so many lines, in this process."""
    text = written(form, lines)
    before = _peak()
    parser.parse(written(form, 50))  # what is read once for all: shapes, sources, patterns
    started = time.process_time()
    entries = parser.parse(text)
    return {
        "megabytes": len(text.encode()) / MEGABYTE,
        "seconds": time.process_time() - started,
        "peak": _peak(),
        "before": before,
        "entries": len(entries),
    }


def print_times(forms: list[str], sizes: list[int]) -> None:
    print(f"\n{'form':<16} {'lines':>8} {'MB':>6} {'entries':>8} {'cpu s':>7} {'µs/line':>8} {'peak MB':>8}")
    for form in forms:
        for size in sizes:
            told = _in_a_child(form, size)
            print(
                f"{form:<16} {size:>8,} {told['megabytes']:>6.2f} {told['entries']:>8,.0f} {told['seconds']:>7.2f} "
                f"{told['seconds'] / size * 1e6:>8.0f} {told['peak']:>8.0f}",
                flush=True,
            )


def print_figures() -> None:
    samples = Path(os.environ.get("READTRACK_TEST_SAMPLES", ""))
    scorer = samples / "score_import.py"
    if not os.environ.get("READTRACK_TEST_SAMPLES") or not scorer.exists():
        print(
            "READTRACK_TEST_SAMPLES names no folder with score_import.py: our own forms, by our own count, in percent."
        )
        _print_own()
        return
    with tempfile.TemporaryDirectory() as folder:
        for note, table in [*truth.samples(), *_pairs(samples / "public")]:
            name = table.name.removesuffix(".truth.tsv")
            records = parser.preview_json(parser.parse(parser.decode(note.read_bytes())), note.name)
            scored = [each | {"ids": each["identifiers"], "line": each["lines"][0]} for each in records]
            (Path(folder) / f"{name}.json").write_text(json.dumps(scored), encoding="utf-8")
            (Path(folder) / table.name).write_bytes(table.read_bytes())
        subprocess.run([sys.executable, str(scorer), "--all", folder, folder], check=True)


def _print_own() -> None:
    for note, table in truth.samples():
        records = parser.preview_json(parser.parse(parser.decode(note.read_bytes())), note.name)
        figures = truth.figures(records, truth.rows_of(table))
        print(f"{note.name:<28}", *(f"{what} {figure:.1f}" for what, figure in figures.items()), sep="  ")


def _pairs(folder: Path) -> Iterator[tuple[Path, Path]]:
    for table in sorted(folder.glob("*.truth.tsv")):
        name = table.name.removesuffix(".truth.tsv")
        yield from ((note, table) for note in folder.glob(f"{name}.*") if note != table)


def _in_a_child(form: str, lines: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.import_bench", "--child", form, str(lines)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(told.stdout)
    return answer


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIBIBYTES_A_MEGABYTE


if __name__ == "__main__":
    main()
