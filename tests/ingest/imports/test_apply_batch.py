"""Many entries carried out together become what they would one by one; and others may do the same at this moment."""

import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import hypothesis.strategies as st
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, settings
from hypothesis import given as drawn
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    Entry,
    Event,
    Identifier,
    Job,
    Lead,
    Link,
    MetadataRequest,
    NoteRevision,
    Paper,
    PaperTopic,
    Person,
    Question,
    Reading,
    ReadingEvent,
    Topic,
    TopicAlias,
)
from readtrack.infra.models.columns import Moment
from readtrack.infra.permissions import CurrentUser
from readtrack.ingest.imports import apply_batch, queries
from readtrack.ingest.imports import commit_job as imports_jobs
from readtrack.ingest.imports.apply_batch import apply_entries
from readtrack.ingest.imports.apply_entry import ImportContext, apply_entry, find_twins
from readtrack.ingest.imports.commands import ImportCommit, ParsedNotes, commit_import, preview_notes
from readtrack.library.duplicates.merge import merge_papers
from readtrack.library.enrichment import scheduler
from readtrack.library.papers.commands import add_paper, add_unnamed, delete_paper
from readtrack.library.topics.commands import TopicCreate, add_topic, find_or_add_topic, link_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.metadata.types import Ref
from readtrack.reading.readings.commands import ReadingUpdate, set_reading, undo_reading
from tests import make
from tests.depth import examples
from tests.ingest.imports.given import LONG, OTHER, given, imported, line
from tests.sample_library import carry_out, count_of, entries_of

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

Way = Callable[[Write, CurrentUser, Sequence[Entry], ImportContext], Sequence[Entry]]
NAMES = ["arxiv:2401.00001", "doi:10.1145/1", "youtube:abcdefghijk", "url:https://example.org/a"]
OTHERS = [f"arxiv:2402.{number:05}" for number in range(12)]
TITLES = ["", "  ", "Gemini", "GEMINI ", LONG, LONG.upper(), OTHER]
TOO_LONG = "Of many words " * 20
HEADINGS = ["Systems", "SYSTEMS ", "systèmes", "Old name", "A b", "a-B", "A_b", "A b 2", TOO_LONG, "  "]
ADDRESSES = [("https://arxiv.org/abs/2401.00001", "html"), ("https://x.example/a", "code"), ("javascript:x", "html")]
STATUSES = ["to_read", "reading", "paused", "read", "dropped"]
STATE = (Paper, Identifier, Link, Topic, TopicAlias, PaperTopic, Question, Lead, Reading, ReadingEvent, Entry)
Rows = list[dict[str, Any]]


# The two ways


def one_by_one(tx: Write, me: CurrentUser, entries: Sequence[Entry], whole: ImportContext) -> Sequence[Entry]:
    """The plain way, which the quick one has to be like."""
    for entry in entries:
        if entry.decision == "skip" or entry.kind not in queries.IMPORTED_KINDS:
            continue
        try:
            with savepoint(tx):
                apply_entry(tx, me, entry, whole)
        except ReadtrackError as problem:
            entry.decision, entry.reason = "review", problem.message
    return entries


def through(tx: Write, me: CurrentUser, import_id: int, way: Way, whole: ImportContext, step: int) -> None:
    """All entries of an import, so many at once; as the job does it, but in one transaction."""
    left = sa.select(Entry).where(col(Entry.revision_id) == import_id, col(Entry.done_at).is_(None))
    while entries := tx.scalars(left.order_by(*queries.ENTRY_ORDER).limit(step)).all():
        with search.defer_indexing(tx), scheduler.batch_requests(tx):
            for entry in way(tx, me, entries, whole):
                entry.done_at = now()
            tx.flush()
            search.update_papers(tx, tx.scalars(sa.select(col(Entry.paper_id)).where(col(Entry.paper_id).is_not(None))))
        tx.expire_all()


# What is compared


NUMBER_IN_KEY = re.compile(r"(?:(?<=paper)|(?<=-))\d+$")  # of a paper without a title, or whose key is taken


def state(tx: Write) -> dict[str, Any]:
    """All that an import may change. Numbers are those in the order of making: a sequence does not begin again."""
    tx.flush()
    numbered = [Person, NoteRevision, *(table for table in STATE if table is not PaperTopic)]
    places = {str(table.__tablename__): _places(tx, table) for table in numbered}
    told = tx.execute(sa.select(Event.__table__))  # type: ignore[attr-defined]
    wanted = tx.execute(
        sa.select(col(Job.kind), col(Job.dedup_key), col(Job.priority)).where(col(Job.state) == "queued")
    )
    return {
        **{str(table.__tablename__): _rows(tx, table, places) for table in STATE},
        "events": Counter(_event(row, places) for row in told),
        "asked": Counter(  # in the order of steps
            repr(sorted((row | {"id": 0}).items())) for row in _rows(tx, MetadataRequest, places)
        ),
        "jobs": sorted(map(tuple, wanted), key=str),
        "search": search.check(tx),
    }


def _places(tx: Write, table: Any) -> dict[int, int]:
    ids = tx.scalars(sa.select(col(table.id)).order_by(col(table.id))).all()
    return {number: place for place, number in enumerate(ids)}


def _rows(tx: Write, table: Any, places: dict[str, dict[int, int]]) -> Rows:
    """All but times, and how often a paper was marked to be compared."""
    columns = [column for column in table.__table__.columns if column.name != "compared_version"]
    shown = [column for column in columns if not isinstance(column.type, Moment)]
    rows = tx.execute(sa.select(*shown).order_by(*table.__table__.primary_key.columns)).all()
    return [
        {column.name: _told(column, value, places) for column, value in zip(shown, row, strict=True)} for row in rows
    ]


def _told(column: sa.Column[Any], value: Any, places: dict[str, dict[int, int]]) -> Any:
    if isinstance(value, dict):
        return {name: part for name, part in value.items() if name != "updated_at"}
    if column.name == "citation_key" and value is not None:
        return NUMBER_IN_KEY.sub("", value)
    of = column.table.name if column.name == "id" else next((key.column.table.name for key in column.foreign_keys), "")
    return places[of][value] if value is not None and of in places else value


def _event(row: sa.Row[Any], places: dict[str, dict[int, int]]) -> str:
    about = places["paper"].get(row.paper_id)
    plain = {name: value for name, value in row.data.items() if not isinstance(value, int)}
    return repr((row.verb, row.person_id is not None, about, sorted(plain.items()), row.before, row.after, row.private))


# Random notes over random libraries


def _fields(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    named, rare = st.sampled_from(HEADINGS[:-1]), st.sampled_from(HEADINGS)
    headings = st.lists(st.one_of(*[named] * 8, rare), max_size=2)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "kind": st.just(kind),
        "title": st.sampled_from([*TITLES, *[""] * 6] if kind in queries.PAPER_ENTRY_KINDS else HEADINGS),
        "topics": headings.map(tuple),
        "decision": st.sampled_from([*["add"] * 12, "review", "known", "skip"]),
    }
    if kind == "topic":
        return st.fixed_dictionaries(
            {**plain, "aliases": st.lists(st.sampled_from(HEADINGS[:-1]), max_size=1).map(tuple)}
        )
    if kind not in queries.PAPER_ENTRY_KINDS:
        return st.fixed_dictionaries({**plain, "text": st.just("Does it pay?")})
    return st.fixed_dictionaries(
        {
            **plain,
            "identifiers": st.lists(st.sampled_from([*NAMES, *OTHERS, "file:a.pdf"]), max_size=2, unique=True).map(
                tuple
            ),
            "paper_kind": st.sampled_from(["paper", "paper", "video", ""]),
        },
        optional={
            "links": st.lists(st.sampled_from(ADDRESSES), max_size=2).map(tuple),
            "status": st.sampled_from([*STATUSES, "to_read", "read"]),
            "read_on": st.sampled_from(["2024-02-03", "2024-02-31", "2999-01-01"]),
            "raw": st.sampled_from(["see arXiv:2401.00001v2", "2401.00001v1 and 2401.00002v3"]),
            "twin": st.sampled_from([*NAMES, *OTHERS]),
            "year": st.just(2023),
            "published": st.sampled_from(["2023-05-16", "2023", "soon"]),
            "authors": st.just(("Ada Example",)),
        },
    )


KINDS = ["paper"] * 12 + ["mention"] * 2 + ["topic"] * 4 + ["question", "lead", "blank", "snippet"]
ENTRIES = st.sampled_from(KINDS).flatmap(_fields)
PAPERS = st.fixed_dictionaries(
    {
        "title": st.sampled_from(TITLES),
        "name": st.sampled_from([*NAMES, ""]),
        "kind": st.sampled_from(["paper", "paper", "video"]),
        "fate": st.sampled_from(["there", "there", "deleted", "merged"]),
        "topics": st.lists(st.sampled_from(["Systems", "A b"]), max_size=1),
        "mine": st.sampled_from([None, None, "read"]),
    }
)
WHOLE = st.fixed_dictionaries(
    {}, optional={"topics": st.lists(st.sampled_from(HEADINGS[:-1]), max_size=2), "status": st.sampled_from(STATUSES)}
)
CASES = st.fixed_dictionaries(
    {
        "papers": st.lists(PAPERS, max_size=4),
        "earlier": st.lists(ENTRIES, max_size=3),
        "note": st.lists(ENTRIES, min_size=8, max_size=16),
        "whole": WHOLE,
        "role": st.sampled_from(["member", "editor"]),
        "same_note": st.booleans(),
    }
)


@pytest.fixture
def team(database):
    """The people, by role; and a topic with another name, and one that became part of it."""
    with database.write() as tx:
        editor = make.visitor(tx, "Ed", role="editor")
        add_topic(tx, editor, TopicCreate(name="Systems", aliases=["systèmes"]))
        find_or_add_topic(tx, editor, "Old name")
        merge_topics(tx, editor, "old-name", "systems")
        return {"": editor, **{role: make.visitor(tx, f"Me, a {role}", role=role) for role in ("member", "editor")}}


def furnish(tx: Write, editor: CurrentUser, me: CurrentUser, papers: Sequence[dict[str, Any]]) -> None:
    there: list[int] = []
    for wanted in papers:
        said: dict[str, Any] = {"title": wanted["title"], "kind": wanted["kind"]}
        if wanted["name"]:
            paper_id, new = add_paper(tx, editor, Ref.parse(wanted["name"]), **said)
        else:
            paper_id, new = add_unnamed(tx, editor, **said), True
        if not new:
            continue
        for name in wanted["topics"]:
            link_topic(tx, editor, paper_id, find_or_add_topic(tx, editor, name))
        if wanted["mine"]:
            set_reading(tx, me, paper_id, ReadingUpdate(status=wanted["mine"]))
        if wanted["fate"] == "deleted":
            delete_paper(tx, editor, paper_id)
        elif wanted["fate"] == "merged" and there:
            merge_papers(tx, editor, paper_id, into_id=there[-1])
        else:
            there.append(paper_id)


def noted(tx: Write, me: CurrentUser, told: Sequence[dict[str, Any]], title: str) -> tuple[int, int]:
    """The preview of such a note, decided as it is told; its import and its note."""
    taken = {number: one for number, one in enumerate(told, 1) if one.get("aliases")}
    lines = [line(number, **one) for number, one in enumerate(told, 1)]
    text = f"{title} {len(lines)}\n" + "\n".join(one.raw for one in lines)
    import_id, _ = preview_notes(tx, me, ParsedNotes(title=title, is_named=True, text=text, entries=lines))
    mine = sa.update(Entry).where(col(Entry.revision_id) == import_id)
    tx.execute(mine.where(col(Entry.position).in_(taken)).values(alias_taken=True))
    for number, one in enumerate(told, 1):
        if one["decision"] in {"known", "skip"}:
            tx.execute(mine.where(col(Entry.position) == number).values(decision=one["decision"]))
    tx.expire_all()
    return import_id, tx.get_one(NoteRevision, import_id).note_id


def outcomes(
    database: Any, team: dict[str, CurrentUser], case: dict[str, Any], *ways: tuple[Way, int]
) -> Iterator[dict[str, Any]]:
    """What such a note makes of such a library, in each of these ways and steps."""
    with database.write() as tx:
        editor, me = team[""], team[case["role"]]
        furnish(tx, editor, me, case["papers"])
        before, note_id = noted(tx, editor, case["earlier"], "notes.md")
        through(tx, editor, before, one_by_one, ImportContext(note_id, {}, find_twins(tx, before)), 100)
        import_id, note_id = noted(tx, me, case["note"], "notes.md" if case["same_note"] else "others.md")
        for way, step in ways:
            undone = tx.begin_nested()
            through(tx, me, import_id, way, ImportContext(note_id, case["whole"], find_twins(tx, import_id)), step)
            yield state(tx)
            undone.rollback()
        tx.rollback()  # the next case begins with the same library


def paper(**fields: Any) -> dict[str, Any]:
    return {"kind": "paper", "title": "", "topics": (), "decision": "add", "identifiers": (), **fields}


LIBRARY: dict[str, Any] = {"kind": "paper", "fate": "there", "topics": [], "mine": None}
TWO = {"identifiers": (OTHERS[0], OTHERS[1]), "status": "paused"}
PLAIN_CASE: dict[str, Any] = {"papers": [], "earlier": [], "whole": {}, "role": "member", "same_note": False}


@drawn(case=CASES, step=st.sampled_from([1, 3, 100]))
@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck))
@example(  # led to a paper by its identifier, and then named by that paper's short title
    case={
        **PLAIN_CASE,
        "papers": [{**LIBRARY, "title": "Gemini", "name": NAMES[0]}],
        "note": [paper(identifiers=(NAMES[0],)), paper(title="Gemini")],
    },
    step=100,
)
@example(  # named in full by an identifier of its own, and before that by its title alone
    case={
        **PLAIN_CASE,
        "papers": [{**LIBRARY, "title": LONG, "name": ""}],
        "note": [paper(title=OTHER), paper(identifiers=(NAMES[0],), title=LONG), paper(title=OTHER, **TWO)],
    },
    step=100,
)
@example(  # the other name of a twin is here already, though its own line comes later
    case={
        **PLAIN_CASE,
        "papers": [{**LIBRARY, "title": "", "name": NAMES[1]}],
        "note": [paper(identifiers=(NAMES[0],), title=LONG), paper(identifiers=(NAMES[1],), twin=NAMES[0])],
    },
    step=100,
)
@example(  # three headings of one address, one below another, and a paper that is added twice, with a version
    case={
        **PLAIN_CASE,
        "note": [
            {"kind": "topic", "title": "A b", "topics": (), "decision": "add"},
            {"kind": "topic", "title": "a-B", "topics": ("A b",), "decision": "add"},
            paper(identifiers=(NAMES[0], NAMES[1]), topics=("A_b", "a-b", "A B"), status="to_read", raw="2401.00001v1"),
            paper(identifiers=(NAMES[1],), title=LONG, topics=(TOO_LONG, "A b 2"), status="read"),
            {"kind": "topic", "title": "Below", "topics": (TOO_LONG,), "decision": "add"},
        ],
    },
    step=100,
)
@example(  # added by its title alone, and then named in full by an identifier
    case={**PLAIN_CASE, "note": [paper(title=LONG), paper(identifiers=(NAMES[0],), title=LONG)]}, step=100
)
@example(  # a line that is said to be here, and became so by the same words a step before
    case={
        **PLAIN_CASE,
        "note": [
            paper(title=LONG),
            {"kind": "topic", "title": "", "topics": (), "decision": "add"},
            paper(title=LONG, paper_kind="video", decision="known"),
        ],
    },
    step=1,
)
def test_a_batch_gives_the_same_result_as_single_entries(database, team, case, step):
    alone, together = outcomes(database, team, case, (one_by_one, 100), (apply_entries, step))
    assert alone["search"] == []
    for name, rows in alone.items():
        assert together[name] == rows, name


# What people do meanwhile


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def committed(database: Any, me: CurrentUser, *lines: Any, title: str) -> int:
    """An import that a worker is to carry out."""
    import_id = given(database, me, *lines, title=title, more=f" of {title}")
    with database.write() as tx:
        commit_import(tx, me, import_id, ImportCommit(status="to_read"))
    return import_id


def run(database: Any) -> None:
    nobody: Any = None  # no import asks the network
    while queue.run_due_job(database, nobody, kinds=("imports.commit",)):
        pass


def run_to_the_end(database: Any) -> None:
    """Also what was put off, because two waited for one another."""
    waiting = sa.and_(col(Job.kind) == "imports.commit", col(Job.state) == "queued")
    while True:
        run(database)
        with database.write() as tx:
            tx.execute(sa.update(Job).where(waiting).values(run_at=now() - timedelta(seconds=1)))
            if tx.scalar(sa.select(col(Job.id)).where(waiting).limit(1)) is None:
                return


def expect_each_once(database: Any, names: Sequence[str]) -> None:
    with database.read() as tx:
        assert sorted(tx.scalars(sa.select(col(Identifier.scheme) + ":" + col(Identifier.value)))) == sorted(names)
        assert search.check(tx) == []
    assert count_of(database, Paper) == len(names)


@pytest.mark.deep
def test_two_concurrent_imports_of_the_same_papers_add_them_once(database, me, monkeypatch):
    """In opposite orders, and in small steps, so that each adds what the other is about to add."""
    monkeypatch.setattr(imports_jobs, "APPLY_BATCH_SIZE", 5)
    with database.write() as tx:
        other = make.visitor(tx, "Bo")
    names = [f"arxiv:2403.{number:05}" for number in range(30)]
    lines = [line(n, identifiers=(name,), topics=(f"Topic {n % 7}",)) for n, name in enumerate(names, 1)]
    backwards = [line(n, identifiers=one.identifiers, topics=one.topics) for n, one in enumerate(reversed(lines), 1)]
    imports = [committed(database, me, *lines, title="a"), committed(database, other, *backwards, title="b")]
    workers = [threading.Thread(target=run, args=(database,)) for _ in imports]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    run_to_the_end(database)
    expect_each_once(database, names)
    became = [{entry.identifiers[0]: entry.paper_id for entry in entries_of(database, number)} for number in imports]
    assert became[0] == became[1]
    assert None not in became[0].values()
    assert [count_of(database, table) for table in (Topic, PaperTopic, Reading)] == [7, 30, 60]
    made = [entry.made for number in imports for entry in entries_of(database, number)]
    assert made.count(True) == 30


def test_a_paper_added_concurrently_is_not_added_again(database, me, dialect):
    """The set is refused as a whole, and its papers are carried out one by one."""
    if dialect == "sqlite":
        pytest.skip("there one writes at a time")
    lines = [line(n, identifiers=(name,), topics=("New",)) for n, name in enumerate(OTHERS, 1)]
    import_id = committed(database, me, *lines, title="a")
    worker = threading.Thread(target=run, args=(database,))
    with database.write() as tx:
        there, _ = add_paper(tx, me, Ref.parse(OTHERS[4]))
        worker.start()
        blocked = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        while not tx.scalar(blocked):
            assert worker.is_alive()
    worker.join()
    expect_each_once(database, OTHERS)
    entries = entries_of(database, import_id)
    assert [entry.made for entry in entries] == [entry.identifiers != [OTHERS[4]] for entry in entries]
    assert entries[4].paper_id == there


def test_a_database_error_is_reported_on_its_entry_alone(database, me, dialect):
    """A name that fits into no index of PostgreSQL; SQLite takes it."""
    endless = "doi:10.1145/" + random.Random(7).randbytes(20_000).hex()
    lines = [line(n, identifiers=(name,)) for n, name in enumerate([*OTHERS[:3], endless, *OTHERS[3:]], 1)]
    entries = entries_of(database, imported(database, me, *lines))
    refused = [entry.identifiers for entry in entries if entry.decision == "review"]
    assert refused == ([] if dialect == "sqlite" else [[endless]])
    expect_each_once(database, [*OTHERS, endless] if dialect == "sqlite" else OTHERS)


def test_an_import_of_dependent_entries_runs_in_steps_that_let_others_write(database, me, statements, monkeypatch):
    """At most so many of those that are applied one by one are in one transaction, fewer if they take long."""
    monkeypatch.setattr(apply_batch, "MAX_SINGLE_ENTRIES", 10)
    lines = [line(n, "question", text=f"Does it pay at {n}?") for n in range(1, 26)]
    import_id = committed(database, me, *lines, title="a")
    with statements() as seen:
        run(database)
    assert len([one for one in seen if one.startswith("UPDATE entry SET done_at")]) >= 3 + 1
    assert all(entry.done_at for entry in entries_of(database, import_id))


def test_a_status_set_by_an_import_can_be_undone(database, me):
    lines = [line(n, identifiers=(name,), status="read", read_on="2024-02-03") for n, name in enumerate(OTHERS, 1)]
    papers = [entry.paper_id for entry in entries_of(database, imported(database, me, *lines))]
    with database.write() as tx:
        assert [undo_reading(tx, me, paper_id or 0) for paper_id in papers] == [None] * len(OTHERS)
    assert count_of(database, Reading) == 0


@pytest.mark.deep
def test_imported_papers_are_queued_after_existing_ones_in_note_order(database, me):
    with database.write() as tx:
        first = make.paper(tx, "The first of all")
        set_reading(tx, me, first.id, ReadingUpdate(status="to_read"))
    lines = [line(n, identifiers=(name,)) for n, name in enumerate(OTHERS, 1)]
    import_id = given(database, me, *lines)
    carry_out(database, me, import_id, status="to_read")
    with database.read() as tx:
        queue = tx.scalars(sa.select(col(Reading.paper_id)).order_by(col(Reading.position))).all()
    assert queue == [first.id, *(entry.paper_id for entry in entries_of(database, import_id))]


@pytest.mark.deep
def test_a_long_heading_resolves_to_its_topic_and_subheadings_nest_under_it(database, me):
    """It is cut for the topic's name, always in the same way."""
    above, below = line(1, "topic", title=TOO_LONG), line(2, "topic", title="Below", topics=(TOO_LONG,))
    one, two = entries_of(database, imported(database, me, above, below))
    with database.read() as tx:
        assert tx.scalar(sa.select(col(Topic.parent_id)).where(col(Topic.id) == two.topic_id)) == one.topic_id
    taken = line(1, "topic", title=TOO_LONG, aliases=("長い題",))
    import_id = given(database, me, taken, title="others.md", more=" b")
    with database.write() as tx:
        again = sa.update(Entry).where(col(Entry.revision_id) == import_id)
        tx.execute(again.values(alias_taken=True, decision="add"))
    carry_out(database, me, import_id)
    [entry] = entries_of(database, import_id)
    assert (entry.topic_id, entry.made, count_of(database, Topic)) == (one.topic_id, False, 2)
