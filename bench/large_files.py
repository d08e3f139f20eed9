"""Large files of records, given to `readtrack serve`: `python -m bench.large_files --megabytes 20 --forms ris`.

Each is read to its preview, canceled or committed. It says what that takes, and what the processes hold at most.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from bench.library import library
from bench.measuring import free_port, process, signed_in
from bench.under_load import call, copied, most_memory
from bench.words import invented
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.models import Entry, NoteRevision

PAPERS, MEGABYTES = 1_000, (5,)
MEGABYTE = 1_000_000
SHAPES = ("whole", "cut", "repeated", "one", "canceled", "committed")
ABSTRACT, PAUSE = 1_000, 0.5  # characters of each abstract; seconds between two looks at an import


@dataclass(frozen=True)
class Form:
    """How records are written; `between` separates them."""

    record: Callable[[Mapping[str, Any]], str]
    head: str = ""
    between: str = ""
    tail: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.large_files", description=__doc__)
    parser.add_argument("--megabytes", type=int, nargs="+", default=MEGABYTES, metavar="N")
    parser.add_argument("--forms", nargs="+", default=list(FORMS), choices=FORMS)
    parser.add_argument(
        "--shapes",
        nargs="+",
        default=SHAPES,
        choices=SHAPES,
        help="cut: within a record; repeated: each record twice; one: the same record all the time; canceled: while it "
        "is read; committed: to the end",
    )
    parser.add_argument("--abstract", type=int, default=ABSTRACT, metavar="N", help="characters of each abstract")
    given = parser.parse_args()
    for size in given.megabytes:
        for form in given.forms:
            for shape in given.shapes:
                print(measured(form, size * MEGABYTE, shape, given.abstract), flush=True)


def measured(form: str, size: int, shape: str, abstract: int) -> str:
    """What one file takes, in a library of its own."""
    port = free_port()
    with (
        tempfile.TemporaryDirectory() as folder,
        copied(library(PAPERS)) as settings,
        process(port, "readtrack", "serve", "--port", str(port), data=str(settings.data)) as server,
        most_memory(server) as most,
    ):
        path = Path(folder) / "records"
        records = write(path, form, size, shape, abstract)
        headers, began, used = signed_in(settings), time.monotonic(), server.processor()
        import_id = upload(port, headers, path)
        stored = time.monotonic() - began
        became = follow(settings, port, headers, import_id, shape)
        spent, processor = time.monotonic() - began, (server.processor() - used) / 1000
    web, worker = list(most.values())[1:3]
    return (
        f"{form:9} {size // MEGABYTE:4} MB {shape:10} {records:8,} records: stored {stored:5.1f} s, "
        f"all {spent:6.1f} s, {processor:6.1f} s of processor time; {web:.0f} and {worker:.0f} MB; {became}"
    )


def follow(settings: Settings, port: int, headers: Mapping[str, str], import_id: int, shape: str) -> str:
    """Wait until the import is read, and then canceled or committed. Return what became of the records."""
    address = f"/api/v1/imports/{import_id}"
    if shape == "canceled":
        wait_for(port, headers, address, lambda found: found["done"] > 0)
        call(port, headers, "POST", f"{address}/cancel", b"{}")
        wait_until_deleted(settings)
        return "deleted"
    wait_for(port, headers, address, lambda found: found["state"] == "preview")
    became = json.dumps(call(port, headers, "GET", address)["decisions"])
    if shape == "committed":
        call(port, headers, "POST", f"{address}/commit", b"{}")
        wait_for(port, headers, address, lambda found: found["state"] == "committed")
        became = json.dumps(call(port, headers, "GET", f"{address}/report")["papers"])
    return became


def wait_for(
    port: int, headers: Mapping[str, str], address: str, is_reached: Callable[[Mapping[str, Any]], bool]
) -> None:
    """Wait until the import is as it should be. Raise RuntimeError if its job has failed."""
    while not is_reached(found := call(port, headers, "GET", address)):
        if found["state"] == "failed":
            raise RuntimeError(f"{address}: {found['problem']}")
        time.sleep(PAUSE)


def wait_until_deleted(settings: Settings) -> None:
    """Wait until nothing of a canceled import is left."""
    database = Database(settings.url)
    is_left = sa.select(sa.or_(sa.exists(sa.select(NoteRevision)), sa.exists(sa.select(Entry))))
    while True:
        with database.read() as tx:
            if not tx.scalar(is_left):
                break
        time.sleep(PAUSE)
    database.dispose()


def upload(port: int, headers: Mapping[str, str], path: Path) -> int:
    """Send a file without reading it at once, and return the number of the import."""
    with path.open("rb") as file:
        sent = {**headers, "Content-Type": "text/plain", "Content-Length": str(path.stat().st_size)}
        return int(call(port, sent, "POST", f"/api/v1/imports?title={path.name}", file)["id"])


def write(path: Path, form: str, size: int, shape: str, abstract: int) -> int:
    """Write a file of about `size` bytes and return the number of its records."""
    made, records, different = FORMS[form], 0, 0
    with path.open("w", encoding="utf-8") as file:
        file.write(made.head)
        while file.tell() < size:
            if not different and shape == "repeated" and file.tell() >= size / 2:
                different = records
            number = 1 if shape == "one" else records % different + 1 if different else records + 1
            file.write((made.between if records else "") + made.record(work(number, abstract)))
            records += 1
        file.write(made.tail)
    if shape == "cut":
        os.truncate(path, path.stat().st_size - abstract // 2)
    return records


def work(number: int, abstract: int) -> dict[str, Any]:
    """The work of that number."""
    new = invented(Random(number), number)
    text = (new.abstract + " ") * (abstract // len(new.abstract) + 1)
    return {
        "number": number,
        "title": new.title,
        "authors": [name.rpartition(" ")[::2] for name in new.authors],
        "abstract": text[:abstract],
        "year": 2000 + number % 25,
        "doi": f"10.1145/{number}.{number + 7}",
    }


def bibtex(its: Mapping[str, Any]) -> str:
    authors = " and ".join(f"{family}, {given}" for given, family in its["authors"])
    return (
        f"@article{{key{its['number']},\n  title = {{{its['title']}}},\n  author = {{{authors}}},\n"
        f"  year = {{{its['year']}}},\n  doi = {{{its['doi']}}},\n  abstract = {{{its['abstract']}}},\n}}\n\n"
    )


def ris(its: Mapping[str, Any]) -> str:
    authors = "".join(f"AU  - {family}, {given}\n" for given, family in its["authors"])
    facts = f"PY  - {its['year']}\nDO  - {its['doi']}\nAB  - {its['abstract']}\n"
    return f"TY  - JOUR\nTI  - {its['title']}\n{authors}{facts}ER  - \n\n"


def csl_json(its: Mapping[str, Any]) -> str:
    item = {
        "id": f"key{its['number']}",
        "type": "article-journal",
        "title": its["title"],
        "author": [{"given": given, "family": family} for given, family in its["authors"]],
        "issued": {"date-parts": [[its["year"]]]},
        "DOI": its["doi"],
        "abstract": its["abstract"],
    }
    return json.dumps(item, ensure_ascii=False)


def csv_row(its: Mapping[str, Any]) -> str:
    authors = "; ".join(f"{family}, {given}" for given, family in its["authors"])
    return (
        f'K{its["number"]},journalArticle,{its["year"]},"{authors}","{its["title"]}",{its["doi"]},"{its["abstract"]}"\n'
    )


FORMS = {
    "bibtex": Form(bibtex),
    "ris": Form(ris),
    "csl_json": Form(csl_json, "[", ",\n", "]\n"),
    "csl_line": Form(csl_json, "[", ", ", "]"),
    "csv": Form(csv_row, "Key,Item Type,Publication Year,Author,Title,DOI,Abstract Note\n"),
}


if __name__ == "__main__":
    main()
