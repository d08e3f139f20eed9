"""Imports a note of ten thousand papers into an empty library and prints what that takes: `python -m bench.importing`.

Reading the note, storing it for a look, and carrying it out: the papers, their names and where each line went.
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bibtexparser

import readtrack.ingest.imports.commit_job  # noqa: F401 - the job that is measured
from bench.import_forms import repeated
from readtrack.bootstrap import open_egress, open_library
from readtrack.infra import config
from readtrack.infra.jobs import queue
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import commands, report
from readtrack.ingest.imports.commands import ImportCommit

ENTRIES, AIM = 10_000, 3_000  # papers a second of commit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=ENTRIES, metavar="N")
    parser.add_argument("--form", default="bullets")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(*measured(Path(folder), given.form, given.entries), sep="\n")


def measured(folder: Path, form: str, entries: int) -> Iterator[str]:
    """Lines that say what each part took."""
    ready = config.load({}, data=folder, offline=True).ready()
    database = open_library(ready)
    with database.write() as tx:
        person = Person(name="Ada", name_key="ada", role="admin")
        tx.add(person)
        tx.flush()
        me = CurrentUser(person.id or 0, person.name, person.role)
    text = repeated(form, entries)
    commands.parse_notes(repeated(form, 1))  # loads the parser, as a running server has done
    with timed() as reading:
        parsed = commands.prepare_notes(text, form)
    with timed() as storing, database.write() as tx:
        import_id, _ = commands.preview_notes(tx, me, parsed)
        commands.commit_import(tx, me, import_id, ImportCommit())
    del parsed  # whoever carries it out has it no more
    gc.collect()
    gc.freeze()  # as the server does when it starts
    egress = open_egress(ready, database)
    with timed() as committing:
        while queue.run_due_job(database, egress, kinds=("imports.commit",)):
            pass
    with database.read() as tx:
        made = report.get_report(tx, import_id).papers["new"]
    database.dispose()
    for name, spent in (("read", reading), ("stored for a look", storing), ("carried out", committing)):
        yield f"{name}: {spent[0]:.2f} s, {spent[1]:.2f} s of processor time"
    rate, net = made / committing[0], made / committing[1]
    total = sum(spent[1] for spent in (reading, storing, committing))
    yield f"from file to committed library: {total:.2f} s of processor time"
    if form.startswith("bibtex"):
        with timed() as parsing:
            bibtexparser.parse_string(text)  # type: ignore[attr-defined]
        yield f"bibtexparser parses the file in {parsing[1]:.2f} s: {total / parsing[1]:.1f} times as long"
    yield f"{made:,} papers: {rate:,.0f} a second, {net:,.0f} of processor time (aim {AIM:,})"


@contextmanager
def timed() -> Iterator[list[float]]:
    """Seconds by the clock and of the processor, when the block has ended."""
    spent: list[float] = []
    began, used = time.perf_counter(), time.process_time()
    yield spent
    spent += [time.perf_counter() - began, time.process_time() - used]


if __name__ == "__main__":
    main()
