"""Of what people are told who were not there when it happened: a new version, an import that waits, a job given up."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Invalid
from readtrack.infra.jobs import queue
from readtrack.infra.models import Entry, NoteRevision, Notification, Paper, Person
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.library.enrichment.versions import add_versions
from readtrack.metadata.types import DatedVersion
from tests import make

pytestmark = pytest.mark.both_databases

NOBODY: Any = None  # nothing here asks the network
V1 = DatedVersion("v1", now() - timedelta(days=400))
V2 = DatedVersion("v2", now() + timedelta(days=1))


@pytest.fixture
def tx(database):
    with database.write() as tx:
        yield tx


def told(tx, kind):
    """Who was told of what."""
    rows = tx.execute(
        sa.select(col(Notification.person_id), col(Notification.data)).where(col(Notification.kind) == kind)
    )
    return sorted((row.person_id, row.data.get("label") or row.data["happened"]) for row in rows)


@pytest.fixture
def paper(tx):
    paper = make.paper(tx)
    add_versions(tx, paper, [V1])
    return paper


def test_readers_and_assignees_of_a_paper_are_notified_of_a_new_version(tx, paper):
    people = {status: make.person(tx).id for status in ("to_read", "reading", "paused", "read", "dropped")}
    for status, person_id in people.items():
        make.reading(tx, person_id, paper.id, status)
    asked, declined = make.person(tx).id, make.person(tx).id
    make.assignment(tx, asked, paper.id)
    make.assignment(tx, declined, paper.id, "declined")
    make.person(tx)
    add_versions(tx, paper, [V1, V2])
    at_it = [people["to_read"], people["reading"], people["paused"], asked]
    assert told(tx, "version") == [(person_id, "v2") for person_id in sorted(at_it)]


def test_a_private_reader_is_notified_too_without_revealing_it(tx, paper):
    reader = make.person(tx).id
    make.reading(tx, reader, paper.id, "reading", private=True)
    add_versions(tx, paper, [V1, V2])
    assert told(tx, "version") == [(reader, "v2")]


@pytest.mark.parametrize(
    "said",
    [
        [V1],
        [DatedVersion("v2", now() - timedelta(days=30))],  # before the paper was here: no news
        [DatedVersion("v0", None)],
    ],
)
def test_nobody_is_notified_of_insignificant_changes(tx, paper, said):
    make.reading(tx, make.person(tx).id, paper.id, "reading")
    add_versions(tx, paper, said)
    assert told(tx, "version") == []


def test_the_first_known_versions_are_not_news(tx):
    paper = make.paper(tx)
    make.reading(tx, make.person(tx).id, paper.id, "reading")
    add_versions(tx, paper, [V1, V2])
    assert told(tx, "version") == []


def test_a_version_is_announced_once(tx, paper):
    reader = make.person(tx).id
    make.reading(tx, reader, paper.id, "reading")
    for _ in range(2):
        add_versions(tx, paper, [V1, V2])
    assert told(tx, "version") == [(reader, "v2")]


@pytest.fixture
def importer(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada")


def committed(database, me, text):
    """An import of which one entry is not decided."""
    with database.write() as tx:
        import_id, _ = preview_notes(tx, me, prepare_notes(text, "Links"))
        first = sa.select(sa.func.min(col(Entry.id))).where(col(Entry.revision_id) == import_id).scalar_subquery()
        tx.execute(sa.update(Entry).where(col(Entry.id) == first).values(decision="review"))
        commit_import(tx, me, import_id, ImportCommit())
    return import_id


@pytest.mark.deep
def test_the_importing_person_is_notified_of_pending_decisions(database, importer):
    import_id = committed(database, importer, "https://arxiv.org/abs/2401.00001\nhttps://arxiv.org/abs/2401.00002\n")
    assert queue.run_due_job(database, NOBODY, kinds=("imports.commit",))
    with database.read() as tx:
        (notice,) = tx.scalars(sa.select(Notification)).all()
        assert (notice.person_id, notice.import_id) == (importer.id, import_id)
        assert notice.data == {"happened": "waits", "count": 1}


@pytest.mark.parametrize("lost", [{"role": "editor", "disabled_at": now()}, {"role": "member"}])
def test_an_import_returns_to_preview_and_its_person_is_notified_if_who_committed_it_may_not(database, importer, lost):
    import_id = committed(database, importer, "https://arxiv.org/abs/2401.00001\n")
    with database.write() as tx:
        editor = make.person(tx, **lost)
        tx.execute(sa.update(NoteRevision).where(col(NoteRevision.id) == import_id).values(committed_by=editor.id))
    assert queue.run_due_job(database, NOBODY, kinds=("imports.commit",))
    with database.read() as tx:
        assert told(tx, "job") == [(importer.id, "handed-back")]
        assert tx.scalars(sa.select(Paper)).all() == []


@pytest.fixture
def broken():
    """A kind of job that nothing can be done about."""

    def refuse(_database, _http, _claimed):
        message = "This cannot be done."
        raise Invalid(message)

    queue.handler("test.broken")(refuse)
    return "test.broken"


def test_the_creator_of_a_job_is_notified_when_it_is_given_up(database, importer, broken):
    with database.write() as tx:
        job_id = queue.enqueue(tx, broken, created_by=importer.id)
        queue.enqueue(tx, broken)  # nobody's
    while queue.run_due_job(database, NOBODY, kinds=(broken,)):
        pass
    with database.read() as tx:
        (notice,) = tx.scalars(sa.select(Notification)).all()
        assert (notice.person_id, notice.job_id) == (importer.id, job_id)
        assert notice.data == {"happened": "given-up", "problem": "This cannot be done."}


def test_a_disabled_person_is_not_notified(tx, paper):
    reader = make.person(tx)
    make.reading(tx, reader.id, paper.id, "reading")
    tx.execute(sa.update(Person).where(col(Person.id) == reader.id).values(disabled_at=now()))
    add_versions(tx, paper, [V1, V2])
    assert told(tx, "version") == []
