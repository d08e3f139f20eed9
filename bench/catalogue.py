"""What the catalogue costs: `python -m bench.catalogue` loads invented dumps, and looks up names and titles in them."""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench import dumps
from readtrack.metadata.catalog import Catalog
from readtrack.metadata.catalog.loader import load_dump
from readtrack.metadata.catalog.store import Store
from readtrack.metadata.types import Metadata, Ref

SAMPLE = 2_000  # look-ups that are timed
TOGETHER = 50  # names in one look-up of many
MEGABYTE = 1_000_000
KIBIBYTES_A_MEGABYTE = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200_000, help="works in each dump")
    parser.add_argument("--shapes", default=",".join(dumps.SHAPES), help="which dumps, one after the other")
    parser.add_argument("--without-abstracts", action="store_true")
    parser.add_argument("--child", nargs=2, metavar=("DUMP", "CATALOGUE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(loaded(*map(Path, asked.child), abstracts=not asked.without_abstracts)))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), asked.shapes.split(","), asked.lines, more=sys.argv[1:])


def measure(folder: Path, shapes: Sequence[str], lines: int, *, more: Sequence[str]) -> None:
    catalogue = folder / "catalogue.sqlite3"
    print(f"{'dump':<10} {'lines':>10} {'MB':>7} {'load s':>8} {'cpu s':>8}", end=" ")
    print(f"{'lines/s':>8} {'peak MB':>8} {'catalogue MB':>13}")
    for seed, shape in enumerate(shapes, 1):
        dump = folder / shape
        dumps.write(shape, lines, dump, seed=seed)
        command = [sys.executable, "-m", "bench.catalogue", *more, "--child", str(dump), str(catalogue)]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        size, kept = (path.stat().st_size / MEGABYTE for path in (dump, catalogue))
        print(f"{shape:<10} {lines:>10,} {size:>7,.0f} {told['seconds']:>8.1f} {told['cpu']:>8.1f}", end=" ")
        print(f"{lines / told['seconds']:>8,.0f} {told['peak']:>8.0f} {kept:>13,.0f}", flush=True)
        dump.unlink()
    print(f"\n{'look-ups a second':<34} {'per s':>9} {'found':>7}")
    for shape in shapes:
        time_look_ups(Catalog.open(catalogue), shape, lines)


def loaded(dump: Path, catalogue: Path, *, abstracts: bool) -> dict[str, float]:
    """Seconds and memory of loading in this process."""
    store = Store(catalogue)
    started, worked = time.perf_counter(), time.process_time()
    for _ in load_dump(store, dump, abstracts=abstracts).steps():
        pass
    store.settle()
    store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIBIBYTES_A_MEGABYTE
    return {"seconds": time.perf_counter() - started, "cpu": time.process_time() - worked, "peak": peak}


def time_look_ups(known: Catalog, shape: str, lines: int) -> None:
    random = Random(lines)
    refs = [Ref(*dumps.SHAPES[shape].named(random.randrange(lines))) for _ in range(SAMPLE)]
    several = [refs[place : place + TOGETHER] for place in range(0, SAMPLE, TOGETHER)]
    works = list(known.look_up(refs).values())
    titles = [said.title for said in works[: SAMPLE // 4]]
    _print(f"{shape}: a name", refs, lambda ref: len(known.look_up([ref])))
    _print(f"{shape}: {TOGETHER} names together", several, lambda some: len(known.look_up(some)), each=TOGETHER)
    _print(f"{shape}: a title", titles, lambda title: len(known.find_title(title)))
    spoilt = [(said, _spoilt(random, said.title)) for said in works[: SAMPLE // 4]]
    _print(f"{shape}: a title with two faults", spoilt, lambda pair: _is_found(known, *pair))
    _print(f"{shape}: a title not there", titles, lambda title: len(known.find_title(f"{title[::-1]} xyzzy")))


def _is_found(known: Catalog, said: Metadata, spoilt: str) -> bool:
    return said.ref in {found.ref for found in known.find_title(spoilt)}


def _print(what: str, asked: Sequence[Any], ask: Callable[[Any], int], *, each: int = 1) -> None:
    started = time.perf_counter()
    found = sum(ask(one) for one in asked)
    seconds = time.perf_counter() - started
    many = len(asked) * each
    print(f"{what:<34} {many / seconds:>9,.0f} {found / many:>6.0%}", flush=True)


def _spoilt(random: Random, title: str) -> str:
    """One letter wrong, and one word left out."""
    words = title.split()
    if len(words) > 3:
        words.pop(random.randrange(len(words)))
    text = " ".join(words)
    place = random.randrange(len(text))
    return f"{text[:place]}x{text[place + 1 :]}"


if __name__ == "__main__":
    main()
