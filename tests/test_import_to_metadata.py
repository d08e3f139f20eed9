"""From notes to facts: notes that link papers are imported, every service is asked, and each paper has its facts, once.

The services are stand-ins that all speak from tests/facts.json, in the shapes and with the oddities of the real ones.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel, col

import readtrack.cli.worker  # noqa: F401 - registers what jobs run
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.jobs import queue
from readtrack.infra.models import HostRateLimit, Identifier, Job, MetadataRecord, MetadataRequest, Paper
from readtrack.ingest.imports.edit_entries import decide_all
from readtrack.ingest.imports.queries import EntryFilter
from tests import make
from tests.depth import DEEP
from tests.outside.facts import Fact, known
from tests.outside.world import World, egress_for
from tests.sample_library import carry_out, noted

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

NOTE = Path(__file__).parent / "outside" / "note.md"
SAMPLES = os.environ.get("READTRACK_TEST_SAMPLES")
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
TWO_NAMES = {  # what is linked -> by what else the paper goes, which no note says
    "arxiv:2305.15778": "doi:10.1145/3627703.3629553",
    "arxiv:2408.03505": "usenix:atc25/feng",
    "arxiv:2401.09670": "usenix:osdi24/zhong-yinmin",
    "arxiv:2408.04275": "doi:10.1145/3718958.3750472",
    "arxiv:2208.14228": "doi:10.1145/3581784.3607054",
    "arxiv:2309.14509": "doi:10.1145/3662158.3662806",
    "usenix:nsdi24/hu": "arxiv:2403.07648",
    "usenix:nsdi24/duan": "arxiv:2403.14097",
    "usenix:atc21/ren-jie": "arxiv:2101.06840",
}
AWAY = {  # all at once, each in its own way
    "arxiv": "cut",
    "crossref": "captcha",
    "datacite": "error object",
    "dblp": "down",
    "github": "limit reached",
    "oembed": "empty",
    "openalex": "html",
    "semanticscholar": "429 after 7",
    "usenix": "500",
}
TWINS = ("arxiv:2305.15778", "doi:10.1145/3627703.3650085")  # one stands right below the other's title


@pytest.fixture
def short_note(tmp_path):
    """The first papers of the note, and the lines below "Infos", which lead to GitHub and SpeakerDeck."""
    blocks = NOTE.read_text(encoding="utf-8").split("\n\n")
    (infos,) = (block for block in blocks if block.startswith("Infos"))
    path = tmp_path / "short.md"
    path.write_text("\n\n".join([*blocks[:3], infos]), encoding="utf-8")
    return NOTE if DEEP else path


@dataclass(frozen=True)
class Shown:
    """What a reader sees of a paper."""

    id: int
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str


@pytest.fixture
def world():
    with World() as world:
        yield world


def enriched(database: Database, world: World, notes: Iterable[Path]) -> None:
    """The notes imported, undecided lines too, and every question asked that these led to."""
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
    for note in notes:
        import_id = noted(database, me, note.read_text(encoding="utf-8"), note.name)
        with database.write() as tx:
            decide_all(tx, me, import_id, EntryFilter(show="review"), decision="add")
        carry_out(database, me, import_id)
    ask(database, world)


def ask(database: Database, world: World) -> None:
    """Runs what is due, until nothing is."""
    http = egress_for(world, database)
    while queue.run_due_job(database, http):
        pass


def let_time_pass(database: Database) -> None:
    """Whatever waits for a moment to come is due; the rest of a day is over for everybody."""
    with database.write() as tx:
        tx.execute(sa.update(Job).where(col(Job.state) == "queued").values(run_at=now() - timedelta(seconds=1)))
        tx.execute(sa.delete(HostRateLimit))


def papers(database: Database) -> Mapping[str, Shown]:
    """Each paper by each of its identifiers."""
    shown = (col(Paper.id), col(Paper.title), col(Paper.authors), col(Paper.year), col(Paper.venue))
    query = sa.select(col(Identifier.scheme), col(Identifier.value), *shown)
    with database.read() as tx:
        rows = tx.execute(query.join(Paper, col(Paper.id) == col(Identifier.paper_id))).all()
    return {f"{row[0]}:{row[1]}": Shown(row.id, row.title, tuple(row.authors), row.year, row.venue) for row in rows}


def linked(there: Mapping[str, Shown]) -> list[Fact]:
    return [fact for fact in known() if fact.names & there.keys()]


def expected(fact: Fact) -> tuple[object, ...]:
    """Title, authors, year and venue: those of the printed form where somebody knows of it by name or by title."""
    if fact.doi or fact.usenix or (fact.venue and fact.in_print == fact.on_arxiv):
        return fact.in_print, fact.authors, fact.printed_in, fact.venue
    return fact.on_arxiv, fact.authors, int(fact.published[:4]), ""


def expect_facts(there: Mapping[str, Shown]) -> None:
    wrong = []
    for fact in linked(there):
        known_by = {there[name] for name in fact.names & there.keys()}
        seen = {(paper.title, paper.authors, paper.year, paper.venue) for paper in known_by}
        if seen != {expected(fact)} or not fact.names <= there.keys():
            wrong.append(f"{sorted(fact.names)}: {seen} of {sorted(fact.names & there.keys())}, not {expected(fact)}")
    assert not wrong, "\n".join(wrong)


def expect_no_mail(database: Database) -> None:
    """In no text of any table."""
    with database.read() as tx:
        for table in SQLModel.metadata.sorted_tables:
            found = [MAIL.search(repr(tuple(row))) for row in tx.execute(sa.select(table))]
            assert not any(found), f"{table.name} holds {next(filter(None, found))[0]}"


def test_every_paper_linked_in_a_note_gets_its_metadata(database, world):
    enriched(database, world, [NOTE])
    there = papers(database)
    assert len(linked(there)) == 24
    expect_facts(there)
    for named, other in TWO_NAMES.items():
        assert there[named] == there[other]
    one, two = (there[name] for name in TWINS)
    assert one.id != two.id
    expect_no_mail(database)
    expect_each_asked_once(database, world)


def expect_each_asked_once(database: Database, world: World) -> None:
    """No question is left open, and none was asked twice."""
    with database.read() as tx:
        open_ones = tx.scalars(
            sa.select(col(MetadataRequest.service)).where(col(MetadataRequest.state) == "waiting")
        ).all()
    assert not open_ones
    asked = [(request.path, request.body) for request in world.requests]
    assert len(asked) == len(set(asked))


def test_no_metadata_while_all_services_are_down_and_all_of_it_when_they_are_back(database, world, short_note):
    world.faults = dict(AWAY)
    enriched(database, world, [short_note])
    with database.read() as tx:
        assert not tx.scalars(sa.select(col(MetadataRecord.title))).all()
        assert not [title for title, authors in tx.execute(sa.select(col(Paper.title), col(Paper.authors))) if authors]
        assert not tx.scalars(sa.select(col(MetadataRequest.key)).where(col(MetadataRequest.state) != "waiting")).all()
    world.faults.clear()
    let_time_pass(database)
    ask(database, world)
    expect_facts(papers(database))
    assert [service for service in AWAY if not world.asked(service)] == ["datacite"]  # which has none of these papers


@pytest.mark.deep
@pytest.mark.skipif(not SAMPLES, reason="READTRACK_TEST_SAMPLES names no folder with the team's notes")
def test_every_paper_linked_in_the_teams_notes_gets_its_metadata(database, world):
    enriched(database, world, sorted((Path(SAMPLES or "") / "team").iterdir()))
    there = papers(database)
    assert len(linked(there)) >= 14
    expect_facts(there)
    one, two = (there[name] for name in TWINS)
    assert one.id != two.id
    expect_no_mail(database)
