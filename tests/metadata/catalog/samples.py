"""Small dumps of invented works in every form."""

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from readtrack.metadata.catalog import FILE, Catalog
from readtrack.metadata.catalog.loader import DumpLoad, load_dump
from readtrack.metadata.catalog.store import Store

PAPER: dict[str, Any] = {
    "id": "2301.00017",
    "submitter": 'Hanna M\\"uller',
    "authors": "Hanna M\\\"uller, Jos\\'e P\\'erez Jr. and the Heron Collaboration",
    "title": "Herons at Rest: Checkpoints\n  of $O(n)$ Size for Training",
    "comments": "12 pages, 4 figures",
    "journal-ref": "J.Herons 4:17,2023",
    "doi": "10.1234/Heron.17",
    "categories": "cs.DC cs.LG",
    "abstract": "  Herons stand still for long. We do so as well.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 2 Jan 2023 19:18:42 GMT"},
        {"version": "v2", "created": "Tue, 7 Mar 2023 08:00:00 GMT"},
    ],
    "update_date": "2023-03-08",
    "authors_parsed": [["Müller", "Hanna", ""], ["P\\'erez", "Jos\\'e", "Jr."], ["Heron Collaboration", "", ""]],
}
WORK: dict[str, Any] = {
    "DOI": "10.1234/HERON.17",
    "type": "journal-article",
    "title": ["Herons at Rest: Checkpoints of Small Size for Training"],
    "author": [{"given": "Hanna", "family": "Müller"}, {"given": "José", "family": "Pérez"}],
    "container-title": ["Journal of Herons"],
    "published": {"date-parts": [[2023, 5, 4]]},
}
RECORD = """<inproceedings mdate="2023-07-01" key="conf/osdi/MullerP23">
<author orcid="0000-0001-0000-0000">Hanna M&uuml;ller 0003</author>
<author>Jos&eacute; P&eacute;rez</author>
<title>Waders: Serving at Less than 1&micro;s &amp; H<sub>2</sub>O.</title>
<pages>1-17</pages>
<year>2023</year>
<booktitle>OSDI</booktitle>
<ee>https://www.usenix.org/conference/osdi23/presentation/muller</ee>
<crossref>conf/osdi/2023</crossref>
<url>db/conf/osdi/osdi2023.html#MullerP23</url>
</inproceedings>"""
HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n'


def paper(**said: Any) -> dict[str, Any]:
    return {**PAPER, **said}


def papers(many: int) -> list[dict[str, Any]]:
    return [paper(id=f"2302.{number:05}", title=f"Waders of the kind number {number}") for number in range(1, many + 1)]


def work(**said: Any) -> dict[str, Any]:
    return {**WORK, **said}


def record(key: str, title: str, *, kind: str = "article", more: str = "") -> str:
    return f'<{kind} mdate="2023-01-01" key="{key}"><author>A Wader</author><title>{title}</title>{more}</{kind}>'


def lines(told: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in told).encode()


def dblp(*records: str) -> bytes:
    return f"{HEAD}{''.join(records)}\n</dblp>\n".encode()


class Library:
    """A folder with dumps and the catalogue that they are loaded into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.known = Catalog.open(self.path)

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    def load(self, name: str, content: bytes, *, abstracts: bool = True) -> DumpLoad:
        """Writes a dump and loads it to its end."""
        store = Store(self.path)
        try:
            loading = load_dump(store, self.write(name, content), abstracts=abstracts)
            if not loading.is_done:
                for _ in loading.steps():
                    pass
            store.settle()
        finally:
            store.close()
        return loading
