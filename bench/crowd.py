"""The library of a large team: people, readings, comments, events and notices on top of that many papers."""

import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from bench.library import BEGAN, KEPT, ME, PEOPLE, Row, add, fingerprint, library, reading
from readtrack.infra import config
from readtrack.infra.config import Settings
from readtrack.infra.db import Database, Write
from readtrack.infra.models import Assignment, Comment, Event, Notification, Person, Question, Reading
from readtrack.infra.text import normalize

PAPERS, CROWD, READINGS, COMMENTS = 50_000, 50, 200_000, 100_000
EVENTS, NOTICES, QUESTIONS, ASSIGNMENTS = 300_000, 20_000, 2_000, 5_000
BUSIEST, POSTS = 4_321, 100  # the paper that all talk about, and how much they say
ON_QUESTIONS = 0.1  # of all threads
STEP = timedelta(minutes=5)


def crowded() -> Settings:
    """Settings of that library, built when it is not there yet."""
    folder = KEPT / f"crowd-{fingerprint()}"
    if not folder.exists():
        for old in KEPT.glob("crowd-*"):
            shutil.rmtree(old)
        _build(folder, library(PAPERS).data)
    return config.load({}, data=folder, offline=True).ready()


def _build(folder: Path, plain: Path) -> None:
    building = folder.with_suffix(".building")
    shutil.rmtree(building, ignore_errors=True)
    shutil.copytree(plain, building)
    database = Database(config.load({}, data=building).ready().url)
    random = Random(CROWD)
    with database.write() as tx:
        add(tx, Person, _more_people())
        add(tx, Reading, _more_readings(tx, random))
        add(
            tx,
            Question,
            ({"id": n, "text": f"Why {n}?", "paper_id": n, "created_by": ME} for n in range(1, QUESTIONS + 1)),
        )
        add(tx, Comment, _comments(random))
        add(tx, Assignment, _assignments(random))
        add(tx, Event, _events(random))
        add(tx, Notification, _notices(random))
        tx.execute(sa.text("ANALYZE"))
    database.dispose()
    building.rename(folder)


def _more_people() -> list[Row]:
    called = {n: f"Reader {n:02}" for n in range(PEOPLE + 1, CROWD + 1)}
    return [{"id": n, "name": name, "name_key": normalize.key(name), "role": "member"} for n, name in called.items()]


def _more_readings(tx: Write, random: Random) -> Iterator[Row]:
    there = tx.scalar(sa.select(sa.func.count()).select_from(Reading)) or 0
    newcomers = range(PEOPLE + 1, CROWD + 1)
    for number in range(READINGS - there):
        paper = 1 + number % PAPERS
        yield reading(random, paper, newcomers[(number // PAPERS * 7 + paper) % len(newcomers)])


def _comments(random: Random) -> Iterator[Row]:
    """Threads of two on papers and questions all over, and one paper that everybody talks about."""
    number = count(1)
    for at in range((COMMENTS - POSTS) // 2):
        first, on = next(number), _subject(random)
        yield _comment(random, first, None, at) | on
        yield _comment(random, next(number), first, at) | on
    for at in range(POSTS):
        yield _comment(random, next(number), None, at) | {"paper_id": BUSIEST, "question_id": None}


def _subject(random: Random) -> dict[str, int | None]:
    if random.random() < ON_QUESTIONS:
        return {"paper_id": None, "question_id": random.randint(1, QUESTIONS)}
    return {"paper_id": random.randint(1, PAPERS), "question_id": None}


def _comment(random: Random, number: int, parent: int | None, at: int) -> dict[str, Any]:
    moment = BEGAN + at * STEP
    said = {"markdown": f"Comment **{number}** on the evaluation.", "created_at": moment, "updated_at": moment}
    return {"id": number, "person_id": random.randint(1, CROWD), "parent_id": parent, **said}


def _assignments(random: Random) -> Iterator[Row]:
    for number in range(ASSIGNMENTS):
        paper, person = 1 + number, random.randint(1, CROWD)
        state = random.choice(("proposed", "accepted", "declined"))
        open_key = f"{person}:{paper}" if state != "declined" else None
        due = (BEGAN + timedelta(days=random.randint(0, 2_600))).date()
        who = {"paper_id": paper, "person_id": person, "created_by": ME}
        yield {**who, "state": state, "due_on": due, "open_key": open_key}


def _events(random: Random) -> Iterator[Row]:
    verbs: Sequence[str] = ("reading.set", "paper.added", "comment.added", "summary.saved", "topic.linked")
    for number in range(EVENTS):
        who = {"person_id": random.randint(1, CROWD), "paper_id": random.randint(1, PAPERS)}
        yield {"created_at": BEGAN + number * STEP, "verb": random.choice(verbs), "data": {"status": "read"}, **who}


def _notices(random: Random) -> Iterator[Row]:
    for number in range(1, NOTICES + 1):
        about = {"comment_id": number, "actor_id": random.randint(1, CROWD), "created_at": BEGAN + number * STEP}
        yield {"person_id": 1 + number % CROWD, "kind": "reply", "group_key": f"reply:thread:{number}", **about}
