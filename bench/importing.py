"""Imports a file of ten thousand papers into an empty library and prints what that takes: `python -m bench.importing`.

Storing the file, reading it, and committing it: the papers, their identifiers and what became of each line.
"""

import argparse
import gc
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import bibtexparser

import readtrack.ingest.imports.commit_job  # noqa: F401 - the job that is measured
from bench.import_forms import repeated
from readtrack.bootstrap import open_egress, open_library
from readtrack.infra import config
from readtrack.infra.db import Database
from readtrack.infra.http.types import Http
from readtrack.infra.jobs import queue
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import commands, report
from readtrack.ingest.imports.commands import PARSE, ImportCommit
from readtrack.ingest.imports.long_imports import store_long_text
from readtrack.ingest.imports.stored_text import inspect_file

ENTRIES, AIM = 10_000, 3_000  # papers a second of commit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=ENTRIES, metavar="N")
    parser.add_argument("--form", default="bullets")
    parser.add_argument("--database", default="", metavar="URL", help="of an empty database on PostgreSQL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(*measured(Path(folder), given.form, given.entries, given.database), sep="\n")


def measured(folder: Path, form: str, entries: int, url: str = "") -> Iterator[str]:
    """Lines that say what each part took."""
    options = {"database_url": url, "secret_key": "only for measuring " * 3} if url else {}
    ready = config.load({}, data=folder, offline=True, **options).ready()
    database = open_library(ready)
    with database.write() as tx:
        person = Person(name="Ada", name_key="ada", role="admin")
        tx.add(person)
        tx.flush()
        me = CurrentUser(person.id or 0, person.name, person.role)
    egress = open_egress(ready, database)
    data = repeated(form, entries).encode()
    commands.parse_notes(repeated(form, 1))  # loads the parser, as a running server has done
    gc.collect()
    gc.freeze()  # as the server does when it starts
    with timed() as storing:
        import_id, _ = store_long_text(database, me, inspect_file(BytesIO(data), len(data)), form)
    with timed() as reading:
        run(database, egress, PARSE)
    with database.write() as tx:
        commands.commit_import(tx, me, import_id, ImportCommit())
    with timed() as committing:
        run(database, egress, "imports.commit")
    with database.read() as tx:
        made = report.get_report(tx, import_id).papers["new"]
    database.dispose()
    for name, spent in (("stored", storing), ("read", reading), ("committed", committing)):
        yield f"{name}: {spent[0]:.2f} s, {spent[1]:.2f} s of processor time"
    total = sum(spent[1] for spent in (storing, reading, committing))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield f"from file to committed library: {total:.2f} s of processor time, {memory} MB at most"
    if form.startswith("bibtex"):
        with timed() as parsing:
            bibtexparser.parse_string(data.decode())  # type: ignore[attr-defined]
        yield f"bibtexparser parses the file in {parsing[1]:.2f} s: {total / parsing[1]:.1f} times as long"
    rate, net = made / committing[0], made / committing[1]
    yield f"{made:,} papers: {rate:,.0f} a second, {net:,.0f} of processor time (aim {AIM:,})"


def run(database: Database, egress: Http, kind: str) -> None:
    while queue.run_due_job(database, egress, kinds=(kind,)):
        pass


@contextmanager
def timed() -> Iterator[list[float]]:
    """Seconds by the clock and of the processor, when the block has ended."""
    spent: list[float] = []
    began, used = time.perf_counter(), time.process_time()
    yield spent
    spent += [time.perf_counter() - began, time.process_time() - used]


if __name__ == "__main__":
    main()
