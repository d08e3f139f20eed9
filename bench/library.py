"""Builds a large SQLite library once and keeps it in .data/bench, named by what it depends on."""

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from bench.words import invented
from readtrack import search
from readtrack.infra import config
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Write, migrate
from readtrack.infra.models import (
    Identifier,
    Link,
    Paper,
    PaperTopic,
    Person,
    Reading,
    Summary,
    SummaryVersion,
    Topic,
    TopicAlias,
)
from readtrack.infra.text import normalize
from readtrack.search.index import STAMP

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".data/bench"
BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
PEOPLE, TOPICS, AT_ONCE = 5, 40, 5_000
ME = 1  # who asks
MINE = 1_000  # readings of who asks, as many as a diligent person has in some years
STATUSES = ("to_read", "reading", "paused", "read", "dropped")

Row = Mapping[str, Any]


def library(papers: int) -> Settings:
    """Settings of a library of that size, built when it is not there yet."""
    folder = KEPT / f"{papers}-{fingerprint()}"
    if not folder.exists():
        for old in KEPT.glob(f"{papers}-*"):
            shutil.rmtree(old)
        _build(folder, papers)
    return config.load({}, data=folder, offline=True).ready()


def fingerprint() -> str:
    """Another one when the tables, the index or what is put in changed."""
    sources = [
        *sorted((ROOT / "migrations/versions").glob("*.py")),
        *(ROOT / "bench" / f"{name}.py" for name in ("crowd", "library", "words")),
    ]
    return hashlib.sha256(b"\0".join([STAMP.encode(), *(path.read_bytes() for path in sources)])).hexdigest()[:12]


def _build(folder: Path, papers: int) -> None:
    building = folder.with_suffix(".building")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    database = Database(config.load({}, data=building).ready().url)
    migrate(database)
    random = Random(papers)
    with database.write() as tx:
        add(tx, Person, _people())
        add(tx, Topic, ({"id": n, "slug": f"topic-{n}", "name": f"Topic {n}"} for n in range(1, TOPICS + 1)))
        add(tx, TopicAlias, (_alias(n) for n in range(1, TOPICS + 1)))
    for first in range(1, papers + 1, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, papers + 1))
        with database.write() as tx:
            _add_papers(tx, random, numbers, papers)
    with database.write() as tx:
        search.rebuild(tx)
        tx.execute(sa.text("ANALYZE"))
    database.dispose()
    building.rename(folder)


def _add_papers(tx: Write, random: Random, numbers: Sequence[int], papers: int) -> None:
    add(tx, Paper, (_paper(random, n) for n in numbers))
    add(tx, Identifier, ({"paper_id": n, "scheme": "arxiv", "value": _arxiv(n)} for n in numbers))
    add(tx, Link, (link for n in numbers for link in _links(n)))
    add(tx, PaperTopic, ({"paper_id": n, "topic_id": t} for n in numbers for t in _topics(random)))
    add(tx, Reading, (reading(random, n, who) for n in numbers for who in _readers(random, n, papers)))
    written = [_summary(random, n) for n in numbers if n % 8 == 0]
    add(tx, Summary, written)
    add(tx, SummaryVersion, (_first_version(row) for row in written))


def add(tx: Write, table: Any, rows: Iterator[Row] | Sequence[Row]) -> None:  # noqa: ANN401 - any model
    """Many rows of one table."""
    rows = iter(rows)
    while portion := list(islice(rows, AT_ONCE)):
        tx.execute(sa.insert(table), portion)


def _people() -> list[Row]:
    names_ = [f"Reader {n:02}" for n in range(1, PEOPLE + 1)]
    return [
        {"id": n, "name": name, "name_key": normalize.key(name), "role": "admin" if n == ME else "member"}
        for n, name in enumerate(names_, 1)
    ]


def _alias(number: int) -> Row:
    name = f"Topic {number}"
    return {"topic_id": number, "alias": name, "alias_key": normalize.key(name), "is_canonical": True}


def _paper(random: Random, number: int) -> Row:
    new = invented(random, number)
    at = BEGAN + timedelta(minutes=number)
    year = random.randint(2012, 2026)
    return {
        "id": number,
        "title_key": normalize.key(new.title),
        **new._asdict(),
        "year": year,
        "venue": random.choice(("", "", f"OSDI {year}", f"MLSys {year}")),
        "created_by": ME,
        "updated_by": ME,
        "created_at": at,
        "updated_at": at,
    }


def _arxiv(number: int) -> str:
    return f"{1501 + number // 90_000}.{10_000 + number % 90_000}"


def _links(number: int) -> list[Row]:
    about = ((f"https://arxiv.org/abs/{_arxiv(number)}", "landing"), (f"https://arxiv.org/pdf/{_arxiv(number)}", "pdf"))
    return [{"paper_id": number, "url": url, "role": role} for url, role in about]


def _topics(random: Random) -> list[int]:
    """A fifth of a topic for each paper, as most have none."""
    return random.sample(range(1, TOPICS + 1), *random.choices((0, 1, 2), (85, 10, 5)))


def _readers(random: Random, number: int, papers: int) -> list[int]:
    others = random.sample(range(ME + 1, PEOPLE + 1), random.choice((0, 0, 1, 1, 2, 4)))
    return [ME, *others] if number % max(1, papers // MINE) == 0 else others


def reading(random: Random, paper: int, person: int) -> Row:
    """What one person does with one paper."""
    status = random.choice(STATUSES)
    finished = date(2026, 1, 1) if status == "read" else None
    depth = random.choice(("skimmed", "read", "studied")) if finished else ""
    said = {"status": status, "depth": depth, "finished_on": finished}
    return {"person_id": person, "paper_id": paper, "pass_number": 1, **said}


def _summary(random: Random, paper: int) -> Row:
    text = f"What paper {paper} says. {invented(random, paper).abstract}"
    who = random.randint(1, PEOPLE)
    return {"id": paper // 8, "person_id": who, "paper_id": paper, "tldr": text[:90], "markdown": text}


def _first_version(row: Row) -> Row:
    return {"summary_id": row["id"], "number": 1, "tldr": row["tldr"], "markdown": row["markdown"]}
