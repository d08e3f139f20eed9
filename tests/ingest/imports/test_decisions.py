"""What people decided holds: a later import neither undoes it nor decides for them."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.errors import Conflict
from readtrack.infra.jobs import queue
from readtrack.infra.models import Identifier, Paper, PaperTopic, Person, Reading
from readtrack.ingest.imports import commit_job as imports_jobs
from readtrack.ingest.imports.apply_batch import apply_entries
from readtrack.ingest.imports.commands import ImportCommit, commit_import, prepare_notes, preview_notes
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, decide_all
from readtrack.ingest.imports.merge_entries import join_entries
from readtrack.ingest.imports.queries import EntryFilter, get_import
from readtrack.library.papers.commands import PaperCreate, add_by_text, delete_paper
from readtrack.library.topics.commands import unlink_topic
from tests import make
from tests.sample_library import carry_out, count_of, entries_of, noted

pytestmark = pytest.mark.slow  # `make check` is to be quick

FIRST = "# Checkpointing\n- https://arxiv.org/abs/2401.00001\n- [x] https://arxiv.org/abs/2401.00002\n"
NOBODY: Any = None  # no import asks the network
LATER = FIRST + "- https://arxiv.org/abs/2401.00003\n"


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def papers(database):
    """The visible papers by identifier."""
    with database.read() as tx:
        here = sa.select(col(Identifier.value), col(Paper.id)).join(Paper, col(Paper.id) == col(Identifier.paper_id))
        return dict(tx.execute(here.where(col(Paper.deleted_at).is_(None))).all())


def told(database, import_id, identifier):
    [entry] = [entry for entry in entries_of(database, import_id) if identifier in entry.identifiers]
    return entry.decision, entry.reason, entry.paper_id


@pytest.mark.deep
def test_entries_skipped_in_one_revision_are_skipped_in_the_next(database, me):
    first = noted(database, me, FIRST, "notes.md")
    with database.write() as tx:
        correct_entry(tx, me, first, 2, edit=EntryUpdate(decision="skip"))
    carry_out(database, me, first)
    second = noted(database, me, LATER, "notes.md")
    carry_out(database, me, second)
    assert set(papers(database)) == {"2401.00002", "2401.00003"}
    assert told(database, second, "arxiv:2401.00001") == ("known", "imported before", None)


@pytest.mark.deep
def test_a_removed_topic_stays_removed_when_the_note_is_imported_again(database, me):
    first = noted(database, me, FIRST, "notes.md")
    with database.write() as tx:
        correct_entry(tx, me, first, 2, edit=EntryUpdate(topics=[]))
    carry_out(database, me, first)
    carry_out(database, me, noted(database, me, LATER, "notes.md"))
    with database.read() as tx:
        filed = set(tx.scalars(sa.select(col(PaperTopic.paper_id))))
    assert filed == {papers(database)[key] for key in ("2401.00002", "2401.00003")}


def test_a_deleted_paper_stays_deleted_when_its_note_is_imported_again(database, me):
    carry_out(database, me, noted(database, me, FIRST, "notes.md"))
    with database.write() as tx:
        delete_paper(tx, me, papers(database)["2401.00001"])
    second = noted(database, me, LATER, "notes.md")
    carry_out(database, me, second)
    assert set(papers(database)) == {"2401.00002", "2401.00003"}
    assert told(database, second, "arxiv:2401.00001") == ("known", "deleted before", None)


def test_a_topic_that_was_unlinked_is_not_filed_again(database, me):
    carry_out(database, me, noted(database, me, FIRST, "notes.md"))
    paper = papers(database)["2401.00001"]
    with database.write() as tx:
        unlink_topic(tx, me, paper, "checkpointing")
    second = noted(database, me, LATER, "notes.md")
    carry_out(database, me, second)
    with database.read() as tx:
        filed = sa.select(col(PaperTopic.topic_id)).where(col(PaperTopic.paper_id) == paper)
        assert tx.scalars(filed).all() == []
    assert told(database, second, "arxiv:2401.00001") == ("known", "in library", paper)


def test_topics_of_the_commit_apply_to_known_papers_too_but_note_statuses_do_not(database, me):
    with database.write() as tx:
        add_by_text(tx, me, PaperCreate(identifier="2401.00002"))
    other = make_other(database)
    carry_out(database, other, noted(database, other, FIRST, "notes.md"), topics=["Reading group"])
    assert count_of(database, Reading) == 0
    with database.read() as tx:
        filed = sa.select(sa.func.count()).where(col(PaperTopic.paper_id) == papers(database)["2401.00002"])
        assert tx.scalar(filed) == 2  # what was typed, and the heading that these words never had before


def test_a_known_paper_under_another_heading_is_filed_there_too_once(database, me):
    carry_out(database, me, noted(database, me, FIRST, "notes.md"))
    for _ in range(2):
        carry_out(database, me, noted(database, me, FIRST.replace("Checkpointing", "Recovery"), "others.md"))
    with database.read() as tx:
        filed = sa.select(sa.func.count()).where(col(PaperTopic.paper_id) == papers(database)["2401.00001"])
        assert tx.scalar(filed) == 2


def make_other(database, role="editor"):
    with database.write() as tx:
        return make.visitor(tx, f"Another {role}", role=role)


def test_every_identifier_of_an_entry_is_added_to_its_paper(database, me):
    both = "- [A Title](https://arxiv.org/abs/2401.00531), [DOI](https://doi.org/10.1145/3627703.3651234)\n"
    carry_out(database, me, noted(database, me, both, "notes.md"))
    assert set(papers(database)) == {"2401.00531", "10.1145/3627703.3651234"}
    with database.write() as tx:
        assert add_by_text(tx, me, PaperCreate(identifier="10.1145/3627703.3651234"))[1] is False
    assert count_of(database, Paper) == 1


@pytest.mark.parametrize("decision", [None, "add"], ids=["known", "add"])
def test_an_entry_matches_its_paper_by_any_identifier(database, me, decision):
    with database.write() as tx:
        paper_id, _ = add_by_text(tx, me, PaperCreate(identifier="10.1145/3627703.3651234"))
    both = "- [A Title](https://arxiv.org/abs/2401.00531), [DOI](https://doi.org/10.1145/3627703.3651234)\n"
    import_id = noted(database, me, both, "notes.md")
    if decision:
        with database.write() as tx:
            correct_entry(tx, me, import_id, 1, edit=EntryUpdate(decision=decision))
    carry_out(database, me, import_id)
    assert papers(database) == {"2401.00531": paper_id, "10.1145/3627703.3651234": paper_id}


@pytest.mark.parametrize("change", [{"disabled_at": "now"}, {"role": "viewer"}], ids=["disabled", "made a viewer"])
def test_an_import_stops_when_its_person_may_no_longer_import(database, me, sign_in, monkeypatch, change):
    monkeypatch.setattr(imports_jobs, "APPLY_BATCH_SIZE", 2)
    member = make_other(database, "member")
    import_id = noted(database, member, LATER, "notes.md")
    with database.write() as tx:
        commit_import(tx, member, import_id, ImportCommit())
        values = {name: sa.func.now() if value == "now" else value for name, value in change.items()}
        tx.execute(sa.update(Person).where(col(Person.id) == member.id).values(values))
    queue.run_due_job(database, NOBODY, kinds=("imports.commit",))
    assert (count_of(database, Paper), count_of(database, Reading)) == (0, 0)
    with database.read() as tx:
        assert get_import(tx, import_id).state == "preview"
    assert "Import stopped after 0 of 4 entries" in sign_in(me).get(f"/imports/{import_id}").text
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == 3


def test_the_import_of_another_person_stops_when_who_committed_it_is_no_longer_an_editor(database, me):
    import_id = noted(database, make_other(database, "member"), LATER, "notes.md")
    with database.write() as tx:
        commit_import(tx, me, import_id, ImportCommit())
        tx.execute(sa.update(Person).where(col(Person.id) == me.id).values(role="member"))
    queue.run_due_job(database, NOBODY, kinds=("imports.commit",))
    with database.read() as tx:
        assert get_import(tx, import_id).state == "preview"
    assert count_of(database, Paper) == 0


def test_changes_applied_before_an_import_stopped_stay(database, me, monkeypatch):
    monkeypatch.setattr(imports_jobs, "APPLY_BATCH_SIZE", 2)
    member = make_other(database, "member")
    import_id = noted(database, member, LATER, "notes.md")
    with database.write() as tx:
        commit_import(tx, member, import_id, ImportCommit())

    def demote_after_a_step(tx, *given):
        tx.execute(sa.update(Person).where(col(Person.id) == member.id).values(role="viewer"))
        return apply_entries(tx, *given)

    monkeypatch.setattr(imports_jobs, "apply_entries", demote_after_a_step)
    queue.run_due_job(database, NOBODY, kinds=("imports.commit",))
    monkeypatch.undo()
    with database.write() as tx, pytest.raises(Conflict, match="Entry 2 is already imported"):
        join_entries(tx, me, import_id, [2, 3])
    with database.write() as tx:
        assert decide_all(tx, me, import_id, EntryFilter(), decision="skip") == 2
    carry_out(database, me, import_id)
    assert set(papers(database)) == {"2401.00001"}


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_same_text_with_other_line_endings_is_the_same_import(database, me, end):
    first = noted(database, me, FIRST, "notes.md")
    with database.write() as tx:
        again = preview_notes(tx, me, prepare_notes(FIRST.replace("\n", end), "notes.md"))
    assert again == (first, False)


def test_only_a_named_note_has_revisions(database, me):
    untitled = [noted(database, me, f"# To read\nhttps://arxiv.org/abs/2401.0000{n}\n") for n in (1, 2)]
    named = [noted(database, me, f"# To read\nhttps://arxiv.org/abs/2401.0000{n}\n", "List") for n in (3, 4)]
    with database.read() as tx:
        assert len({get_import(tx, number).note_id for number in untitled}) == 2
        assert len({get_import(tx, number).note_id for number in named}) == 1
        assert [get_import(tx, number).number for number in (*untitled, *named)] == [1, 1, 1, 2]


def test_the_preview_shows_its_revision(database, me, sign_in):
    noted(database, me, FIRST, "List")
    second = noted(database, me, LATER, "List")
    assert "Changes since version 1" in sign_in(me).get(f"/imports/{second}").text


def test_a_skipped_line_becomes_a_paper_when_possible(database, me, sign_in):
    browser = sign_in(me)
    browser.post(
        "/api/v1/imports", json={"text": "[How We Train Models](https://corp.internal/train)\nhttps://github.com\n"}
    )
    with_title, without = (entry for entry in entries_of(database, 1) if entry.kind == "junk")
    answer = browser.patch(f"/api/v1/imports/1/entries/{without.position}", json={"decision": "add"})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/decision")
    assert "Enter a title" in answer.json()["errors"][0]["detail"]
    rescued = browser.patch(f"/api/v1/imports/1/entries/{with_title.position}", json={"decision": "add"}).json()
    assert (rescued["kind"], rescued["decision"]) == ("paper", "add")
    found = {"decision": "add", "identifier": "2401.00001"}
    assert browser.patch(f"/api/v1/imports/1/entries/{without.position}", json=found).json()["decision"] == "add"
    carry_out(database, me, 1)
    assert (count_of(database, Paper), set(papers(database))) == (2, {"2401.00001"})
