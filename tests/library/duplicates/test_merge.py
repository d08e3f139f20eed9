"""One paper becomes part of another and comes back: nothing of anybody's is lost, nothing private is seen."""

import threading
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, PaperMerged, ReadtrackError
from readtrack.infra.models import (
    DuplicatePair,
    Entry,
    Event,
    Identifier,
    Link,
    Merge,
    MetadataRecord,
    MetadataRequest,
    NoteRevision,
    Paper,
    PaperTopic,
    ReadingEvent,
    Relation,
    Summary,
    Version,
)
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import find_surviving_paper
from readtrack.ingest.imports import existing
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.library.duplicates.stored_pairs import add_candidate
from readtrack.library.enrichment.field_choices import choose_field
from readtrack.library.enrichment.records import store_record
from readtrack.library.papers import lists, lookup
from readtrack.library.papers.commands import add_paper, add_title, delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.lookup import find_papers_by_title
from readtrack.library.relations.links import list_relations
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.metadata.types import Metadata, Ref
from readtrack.reading.readings.commands import ReadingUpdate, remove_reading, set_reading, undo_reading
from readtrack.reading.readings.queries import find_my_reading, list_passes, list_readers
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.reading.summaries.queries import find_my_summary, find_summaries, list_summaries, list_versions
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick
TITLE, PEOPLE = "On Saving the State of Large Models", ("Ada Example", "Bo Muster")


@pytest.fixture
def editor(database):
    with database.write() as tx:
        return make.visitor(tx, "Edith", role="editor")


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


@pytest.fixture
def bo(database):
    with database.write() as tx:
        return make.visitor(tx, "Bo")


@pytest.fixture
def two(database):
    """Ids of a preprint and its publication."""
    with database.write() as tx:
        one = make.paper(tx, "Saving State", identifier="arxiv:2401.00001")
        other = make.paper(tx, TITLE, identifier="doi:10.1145/1")
        return one.id, other.id


@pytest.fixture
def merge(database, editor):
    """Merges the one into the other; the id of that merge."""

    def merge(from_id, into_id):
        with database.write() as tx:
            merge_papers(tx, editor, from_id, into_id=into_id)
            return list_merges(tx, into_id)[-1].id

    return merge


@pytest.fixture
def part(database, editor):
    def part(merge_id):
        with database.write() as tx:
            return unmerge(tx, editor, merge_id).id

    return part


def do(database: Database, verb, *given, **named):
    with database.write() as tx:
        return verb(tx, *given, **named)


def ask(database: Database, query, *given, **named):
    with database.read() as tx:
        return query(tx, *given, **named)


def owners(database, table):
    """Of which paper the rows of a table are, the oldest row first."""
    with database.read() as tx:
        order = table.id if hasattr(table, "id") else table.topic_id
        return [tuple(row) for row in tx.execute(sa.select(col(table.paper_id)).order_by(col(order)))]


def logged(database, person, paper_id):
    """Of each logged change: whether the reading was private, and whether it has the number of a pass others see."""
    with database.read() as tx:
        query = sa.select(ReadingEvent).where(col(ReadingEvent.person_id) == person.id)
        events = tx.scalars(query.where(col(ReadingEvent.paper_id) == paper_id)).all()
    states = [(event.after or event.before, event.pass_number) for event in events]
    return [(state["private"], number > 0) for state, number in states if state]


def passes(database, me, paper_id):
    return [(row.status, row.pass_number) for row in ask(database, list_passes, me, paper_id)]


def read(database, me, paper_id, *statuses, **said):
    for status in statuses:
        do(database, set_reading, me, paper_id, ReadingUpdate(status=status, **said))


def write(database, me, paper_id, text, *, version=None, **said):
    return do(database, edit_summary, me, paper_id, SummaryUpdate(markdown=text, **said), version=version).version


def texts(database, me, paper_id):
    return [row.markdown for row in ask(database, list_summaries, me, paper_id)]


def found(database, me, words):
    with database.read() as tx:
        return {row.id for row in lists.list_papers(tx, me, lists.PaperFilter(words), PageRequest()).items}


@pytest.mark.both_databases
def test_a_merge_moves_everything_and_an_unmerge_moves_it_back(database, two, merge, part):
    gone, kept = two
    with database.write() as tx:
        third = make.paper(tx).id
        make.added(tx, Link(paper_id=gone, url="https://example.org/a.pdf", role="pdf"))
        make.added(tx, Version(paper_id=gone, label="v1"))
        make.added(tx, MetadataRequest(paper_id=gone, service="arxiv", key="2401.00001", state="answered"))
        make.added(tx, Relation(from_id=gone, to_id=third, kind="cites"))
        make.added(tx, Relation(from_id=third, to_id=gone, kind="discusses"))
        make.entry(tx, "- Saving State", kind="paper", paper_id=gone)
        make.filed(tx, tx.get_one(Paper, gone), make.topic(tx, "Storage"))
        make.added(tx, Event(verb="paper.added", paper_id=gone))
        search.rebuild(tx)
    before = {
        table: owners(database, table) for table in (Identifier, Link, Version, MetadataRequest, Entry, PaperTopic)
    }
    merge_id = merge(gone, kept)
    for table in (Identifier, Link, Version, MetadataRequest, Entry):
        assert (gone,) not in owners(database, table), table
    assert sorted(owners(database, PaperTopic)) == [(gone,), (kept,)]
    with database.read() as tx:
        pairs = [(row.from_id, row.to_id) for row in tx.scalars(sa.select(Relation).order_by(col(Relation.id)))]
        assert pairs == [(kept, third), (third, kept)]
        assert lookup.find_by_ref(tx, Ref("arxiv", "2401.00001")) == kept
    assert part(merge_id) == gone
    after = {table: owners(database, table)[: len(rows)] for table, rows in before.items()}  # others are asked by now
    assert after == before
    with database.read() as tx:
        pairs = [(row.from_id, row.to_id) for row in tx.scalars(sa.select(Relation).order_by(col(Relation.id)))]
        assert pairs == [(gone, third), (third, gone)]
        assert search.check(tx) == []


@pytest.mark.both_databases
def test_data_both_papers_had_is_merged_once_and_restored_to_both(database, two, merge, part):
    gone, kept = two
    with database.write() as tx:
        topic = make.topic(tx, "Storage")
        for paper_id in two:
            make.added(tx, Link(paper_id=paper_id, url="https://example.org/", role="landing"))
            make.added(tx, Version(paper_id=paper_id, label="published"))
            make.filed(tx, tx.get_one(Paper, paper_id), topic)
        make.added(tx, Relation(from_id=gone, to_id=kept, kind="extends"))
    part(merge(gone, kept))
    for table in (Link, Version, PaperTopic):
        assert sorted(owners(database, table)) == [(gone,), (kept,)]
    with database.read() as tx:
        assert [(row.from_id, row.to_id) for row in tx.scalars(sa.select(Relation))] == [(gone, kept)]


@pytest.mark.parametrize("order", [1, -1])
def test_merging_linked_papers_creates_no_self_link(database, two, merge, ada, order):
    gone, kept = two
    of, to = two[::order]
    do(database, make.added, Relation(from_id=of, to_id=to, kind="extends"))
    merge(gone, kept)
    assert ask(database, list_relations, ada, kept) == []


def test_data_shared_by_two_merged_papers_stays_when_one_is_unmerged(database, two, merge, part, editor):
    first, kept = two
    with database.write() as tx:
        second, topic = make.paper(tx).id, make.topic(tx, "Storage")
        for paper_id in (first, second):
            make.added(tx, Link(paper_id=paper_id, url="https://example.org/", role="landing"))
            make.filed(tx, tx.get_one(Paper, paper_id), topic)
    one, other = merge(first, kept), merge(second, kept)
    part(one)
    assert sorted(owners(database, Link)) == [(first,), (kept,)]
    assert (kept,) in owners(database, PaperTopic)
    part(other)
    assert sorted(owners(database, Link)) == [(first,), (second,)]
    assert sorted(owners(database, PaperTopic)) == [(first,), (second,)]


def test_later_additions_and_removals_survive_an_unmerge(database, two, merge, part, ada):
    gone, kept = two
    with database.write() as tx:
        make.topic(tx, "Storage")
        make.topic(tx, "Networks")
    do(database, link_topic, ada, gone, "storage")
    merge_id = merge(gone, kept)
    do(database, link_topic, ada, kept, "networks")
    do(database, unlink_topic, ada, kept, "storage")
    part(merge_id)
    assert found(database, ada, "topic:storage") == {gone}
    assert found(database, ada, "topic:networks") == {kept}


def test_a_paper_stays_in_a_topic_where_a_person_filed_it_after_the_merge(database, two, merge, part, ada):
    gone, kept = two
    do(database, make.topic, "Storage")
    do(database, link_topic, ada, gone, "storage")
    merge_id = merge(gone, kept)
    do(database, unlink_topic, ada, kept, "storage")
    do(database, link_topic, ada, kept, "storage")
    part(merge_id)
    assert found(database, ada, "topic:storage") == {gone, kept}


def test_the_old_url_redirects_to_the_survivor_through_a_chain(database, two, merge, ada):
    first, second = two
    third = do(database, make.paper).id
    merge(first, second)
    merge(second, third)
    assert ask(database, find_surviving_paper, first) == third
    assert ask(database, find_surviving_paper, third) is None
    for query in (lambda tx: lists.get_row(tx, ada, first), lambda tx: permissions.require_present(tx, first)):
        with pytest.raises(PaperMerged) as problem:
            ask(database, query)
        assert problem.value.paper_id == third


def test_adding_a_merged_paper_finds_the_survivor(database, two, merge, ada):
    gone, kept = two
    with database.write() as tx:
        bare, _ = add_title(tx, ada, "A Work that Is Only Named")
    merge(bare, kept)
    merge(gone, kept)
    with database.write() as tx:
        assert add_paper(tx, ada, Ref("arxiv", "2401.00001")) == (kept, False)
        assert add_title(tx, ada, "A Work that Is Only Named") == (kept, False)


def test_notes_naming_a_merged_paper_resolve_to_the_survivor(database, merge):
    telling = "Saving the State of Many Large Models"
    with database.write() as tx:
        gone, kept = make.paper(tx, telling, identifier="arxiv:2401.00001").id, make.paper(tx).id
        entry = make.entry(tx, f"- {telling}", kind="paper", paper_id=gone, title=telling, done_at=now())
        note_id = tx.scalar(sa.select(col(NoteRevision.note_id)).where(col(NoteRevision.id) == entry.revision_id))
        fingerprint = entry.fingerprint
    merge(gone, kept)
    survivor = existing.ExistingPaper(kept, is_present=True)
    with database.read() as tx:
        assert existing.find_existing_papers(tx, ["arxiv:2401.00001"]) == {"arxiv:2401.00001": survivor}
        work = existing.TitledWork("paper", telling)
        assert existing.find_existing_by_title(tx, [work]) == {work: survivor}
        assert existing.find_paper_in_note(tx, note_id, "paper", telling) == kept
        assert existing.find_previous_paper(tx, fingerprint, note_id) == kept
        assert find_papers_by_title(tx, [telling], without_identifiers=True) == {}


@pytest.mark.parametrize("role", ["viewer", "member"])
def test_only_editors_can_merge(database, two, role):
    with database.write() as tx:
        me = make.visitor(tx, role=role)
    with pytest.raises(NotAllowed):
        do(database, merge_papers, me, two[0], into_id=two[1])


def test_an_invalid_merge_is_refused_and_changes_nothing(database, two, merge, editor):
    one, other = two
    with database.write() as tx:
        deleted, third = make.paper(tx).id, make.paper(tx).id
        delete_paper(tx, editor, deleted)
    merge(one, other)
    for from_id, into_id, refusal in (
        (other, other, Invalid),
        (other, deleted, Conflict),
        (deleted, other, Conflict),
        (third, one, Conflict),
        (one, third, Conflict),
        (other, one, Conflict),
        (other, 999, NotFound),
    ):
        with pytest.raises(refusal):
            do(database, merge_papers, editor, from_id, into_id=into_id)
    assert len(ask(database, lambda tx: tx.scalars(sa.select(Merge)).all())) == 1


@pytest.mark.both_databases
def test_a_chain_of_merges_is_undone_from_its_end(database, two, merge, part):
    first, second = two
    third = do(database, make.paper).id
    inner, outer = merge(first, second), merge(second, third)
    with pytest.raises(Conflict, match=f"is merged into paper {third}"):
        part(inner)
    part(outer)
    part(inner)
    with pytest.raises(Conflict, match="already undone"):
        part(inner)
    with pytest.raises(NotFound):
        part(999)
    assert [row[0] for row in owners(database, Identifier)] == [first, second, third]


@pytest.mark.both_databases
def test_two_concurrent_merges_create_no_cycle(database, two, editor):
    one, other = two
    outcomes = []

    def merge(from_id, into_id):
        try:
            do(database, merge_papers, editor, from_id, into_id=into_id)
            outcomes.append("merged")
        except ReadtrackError as problem:
            outcomes.append(type(problem).__name__)

    threads = [threading.Thread(target=merge, args=pair) for pair in ((one, other), (other, one)) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["Conflict"] * 5 + ["merged"]
    merged = ask(database, lambda tx: tx.scalars(sa.select(col(Paper.merged_into)).order_by(col(Paper.id))).all())
    assert sorted(merged, key=bool) in ([None, one], [None, other])


@pytest.mark.deep
@pytest.mark.parametrize(
    ("gone_has", "kept_has", "present"),
    [
        ((), ("read",), "read"),
        (("read",), (), "read"),
        (("to_read",), ("read",), "read"),
        (("read",), ("to_read",), "read"),
        (("reading", "paused"), ("dropped",), "paused"),
        (("reading",), ("reading", "paused"), "reading"),
        (("dropped",), ("to_read",), "dropped"),
        (("read", "reading"), ("read",), "read"),
    ],
)
def test_the_more_advanced_reading_becomes_the_current_one(
    database, two, merge, part, ada, gone_has, kept_has, present
):
    gone, kept = two
    read(database, ada, gone, *gone_has)
    read(database, ada, kept, *kept_has)
    before = passes(database, ada, gone), passes(database, ada, kept)
    merge_id = merge(gone, kept)
    together = passes(database, ada, kept)
    assert [number for _, number in together] == list(range(1, len(before[0]) + len(before[1]) + 1))
    assert sorted(status for status, _ in together) == sorted(status for side in before for status, _ in side)
    assert together[-1][0] == present
    assert ask(database, find_my_reading, ada, kept).status == present
    part(merge_id)
    assert (passes(database, ada, gone), passes(database, ada, kept)) == before
    mine = [ask(database, find_my_reading, ada, paper_id) for paper_id in two]
    assert [row and row.status for row in mine] == [side[-1][0] if side else None for side in before]


def test_of_two_equally_advanced_readings_the_survivors_becomes_current(database, two, merge, ada):
    gone, kept = two
    read(database, ada, gone, "reading", reason="of the one that goes")
    read(database, ada, kept, "reading", reason="of the one that stays")
    merge(gone, kept)
    assert ask(database, find_my_reading, ada, kept).reason == "of the one that stays"


def test_a_pass_started_after_the_merge_stays_with_the_survivor_and_a_changed_one_goes_back(
    database, two, merge, part, ada
):
    gone, kept = two
    read(database, ada, gone, "reading")
    merge_id = merge(gone, kept)
    read(database, ada, kept, "read", "reading")
    part(merge_id)
    assert passes(database, ada, gone) == [("read", 1)]
    assert passes(database, ada, kept) == [("reading", 1)]


def test_undo_entries_from_before_a_merge_cannot_be_used_after_it(database, two, merge, part, ada):
    gone, kept = two
    read(database, ada, kept, "read")
    read(database, ada, gone, "to_read")
    merge_id = merge(gone, kept)
    with pytest.raises(Conflict, match="Nothing to undo"):
        do(database, undo_reading, ada, kept)
    read(database, ada, kept, "reading")
    do(database, undo_reading, ada, kept)
    assert passes(database, ada, kept) == [("to_read", 1), ("read", 2)]
    part(merge_id)
    for paper_id in two:
        with pytest.raises(Conflict, match="Nothing to undo"):
            do(database, undo_reading, ada, paper_id)


@pytest.mark.both_databases
def test_a_pass_begun_after_the_merge_stays_though_the_database_gave_it_the_id_of_a_removed_one(
    database, two, merge, part, ada
):
    gone, kept = two
    read(database, ada, gone, "to_read")
    merge_id = merge(gone, kept)
    do(database, remove_reading, ada, kept)
    read(database, ada, kept, "reading")
    part(merge_id)
    assert (passes(database, ada, gone), passes(database, ada, kept)) == ([], [("reading", 1)])


@pytest.mark.parametrize("private", ["gone", "kept"])
def test_a_private_reading_stays_separate_from_the_shared_one_and_is_not_counted(
    database, two, merge, part, ada, bo, private
):
    gone, kept = two
    read(database, ada, gone, "read", "reading" if private == "kept" else "read", private=private == "gone")
    read(database, ada, kept, "read", private=private == "kept")
    seen, before = ask(database, list_readers, bo, two), [passes(database, ada, paper_id) for paper_id in two]
    merge_id = merge(gone, kept)
    assert ask(database, list_readers, bo, two) == {kept: ["Ada"]}
    assert ask(database, list_readers, ada, two) == {kept: ["Ada"]}
    assert [number for _, number in passes(database, ada, kept)] == list(
        range(1 - len(before[private == "kept"]), 1)
    ) + [number for _, number in before[private == "gone"]]
    assert len(traces(database, bo, "reading.")) == len(before[private == "gone"])
    assert all(numbered == (not is_private) for is_private, numbered in logged(database, ada, kept))
    part(merge_id)
    assert ask(database, list_readers, bo, two) == seen
    assert [passes(database, ada, paper_id) for paper_id in two] == before


def test_changing_a_readings_visibility_decides_about_its_merged_counterpart_too(database, two, merge, ada, bo):
    gone, kept = two
    read(database, ada, gone, "read", private=True)
    read(database, ada, kept, "to_read")
    merge(gone, kept)
    read(database, ada, kept, "reading")
    assert passes(database, ada, kept) == [("read", 0), ("reading", 1)]
    assert ask(database, list_readers, bo, [kept]) == {}
    do(database, set_reading, ada, kept, ReadingUpdate(private=True))
    do(database, set_reading, ada, kept, ReadingUpdate(private=False))
    assert ask(database, list_readers, bo, [kept]) == {kept: ["Ada"]}


def test_data_made_private_meanwhile_stays_private(database, two, merge, part, ada, bo):
    gone, kept = two
    read(database, ada, gone, "read")
    write(database, ada, gone, "Mine of old.")
    write(database, ada, kept, "Mine as well.")
    merge_id = merge(gone, kept)
    do(database, set_reading, ada, kept, ReadingUpdate(private=True))
    write(database, ada, kept, "Both.", version=2, private=True)
    part(merge_id)
    for paper_id in two:
        assert ask(database, list_readers, bo, [paper_id]) == {}
        assert texts(database, bo, paper_id) == []
    assert texts(database, ada, gone) == ["Mine of old."]
    assert texts(database, ada, kept) == ["Both."]


def traces(database, me, verbs):
    with database.read() as tx:
        seen = sa.select(Event).where(col(Event.verb).startswith(verbs), permissions.shared_or_own(Event, me.id))
        return tx.scalars(seen).all()


# Summaries


def test_summaries_by_one_author_are_combined_and_separated_again(database, two, merge, part, ada, bo):
    gone, kept = two
    write(database, ada, gone, "Of the preprint.", tldr="Early")
    write(database, ada, kept, "Of the paper.", tldr="Late")
    write(database, bo, gone, "Bo's.")
    merge_id = merge(gone, kept)
    both = "Of the paper.\n\n---\n\nEarly\n\nOf the preprint."
    assert sorted(texts(database, ada, kept)) == ["Bo's.", both]
    assert ask(database, find_my_summary, ada, kept).tldr == "Late"
    part(merge_id)
    assert texts(database, ada, kept) == ["Of the paper."]
    assert sorted(texts(database, ada, gone)) == ["Bo's.", "Of the preprint."]
    with database.read() as tx:
        mine = find_my_summary(tx, ada, kept)
        assert mine is not None
        versions = [row.markdown for row in list_versions(tx, ada, mine.id, PageRequest()).items]
        assert versions == ["Of the paper.", both, "Of the paper."]
        assert search.check(tx) == []


def test_an_edited_combined_text_stays_and_the_other_paper_gets_its_text_back(database, two, merge, part, ada):
    gone, kept = two
    write(database, ada, gone, "One.")
    write(database, ada, kept, "Two.")
    merge_id = merge(gone, kept)
    write(database, ada, kept, "Both, in my words.", version=2)
    part(merge_id)
    assert texts(database, ada, gone) == ["One."]
    assert texts(database, ada, kept) == ["Both, in my words."]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_three_combined_texts_are_separated_in_any_order(database, two, merge, part, ada, order):
    first, kept = two
    second = do(database, make.paper).id
    for paper_id, text in ((first, "First."), (second, "Second."), (kept, "Own.")):
        write(database, ada, paper_id, text)
    merges = [(first, merge(first, kept)), (second, merge(second, kept))]
    assert texts(database, ada, kept) == ["Own.\n\n---\n\nFirst.\n\n---\n\nSecond."]
    part(merges[order[0]][1])
    left = ["First.", "Second."][order[1]]
    assert texts(database, ada, kept) == [f"Own.\n\n---\n\n{left}"]
    part(merges[order[1]][1])
    assert [texts(database, ada, paper_id) for paper_id in (first, second, kept)] == [["First."], ["Second."], ["Own."]]


@pytest.mark.parametrize("private", ["gone", "kept"])
def test_a_private_text_stays_separate_and_visible_to_its_author_only(database, two, merge, part, ada, bo, private):
    gone, kept = two
    write(database, ada, gone, "Text of gone.", private=private == "gone")
    write(database, ada, kept, "Text of kept.", private=private == "kept")
    shared = "Text of kept." if private == "gone" else "Text of gone."
    seen = [texts(database, bo, paper_id) for paper_id in two]
    merge_id = merge(gone, kept)
    assert texts(database, bo, kept) == [shared]
    assert ask(database, find_my_summary, ada, kept).markdown == shared
    assert sorted(texts(database, ada, kept)) == ["Text of gone.", "Text of kept."]
    with database.read() as tx:
        for row in list_summaries(tx, ada, kept):
            assert [version.markdown for version in list_versions(tx, ada, row.id, PageRequest()).items] == [
                row.markdown
            ]
        [row] = list_summaries(tx, bo, kept)
        assert [version.markdown for version in list_versions(tx, bo, row.id, PageRequest()).items] == [shared]
    assert len(traces(database, bo, "summary.")) == 1
    part(merge_id)
    assert [texts(database, bo, paper_id) for paper_id in two] == seen
    assert [texts(database, ada, paper_id) for paper_id in two] == [["Text of gone."], ["Text of kept."]]
    with database.read() as tx:
        assert search.check(tx) == []


@pytest.mark.both_databases
def test_private_texts_of_nested_merges_are_visible_to_their_authors(database, two, merge, part, ada, bo, editor):
    gone, kept = two
    last = do(database, make.paper).id
    write(database, ada, gone, "Of the first.")
    write(database, ada, kept, "Of the second.", private=True)
    write(database, ada, last, "Of the third.")
    merges = [merge(gone, kept), merge(kept, last)]
    assert sorted(texts(database, ada, last)) == ["Of the second.", "Of the third.\n\n---\n\nOf the first."]
    assert texts(database, bo, last) == ["Of the third.\n\n---\n\nOf the first."]
    with database.write() as tx:
        [private_id] = tx.scalars(sa.select(col(Summary.id)).where(col(Summary.private)))
        assert find_summaries(tx, ada, [private_id])
        delete_paper(tx, editor, last)
        assert not find_summaries(tx, ada, [private_id])
        restore_paper(tx, editor, last)
    for merge_id in reversed(merges):
        part(merge_id)
    assert [texts(database, ada, paper_id) for paper_id in (gone, kept, last)] == [
        ["Of the first."],
        ["Of the second."],
        ["Of the third."],
    ]


def test_texts_too_long_to_combine_become_separate_versions(database, two, merge, part, ada):
    gone, kept = two
    long, longer = "a" * 60_000, "b" * 60_000
    write(database, ada, gone, long)
    write(database, ada, kept, longer)
    merge_id = merge(gone, kept)
    assert texts(database, ada, kept) == [longer]
    with database.read() as tx:
        mine = find_my_summary(tx, ada, kept)
        assert mine is not None
        assert [row.markdown for row in list_versions(tx, ada, mine.id, PageRequest()).items] == [longer, long, longer]
    part(merge_id)
    assert [texts(database, ada, paper_id) for paper_id in two] == [[long], [longer]]


def test_a_deleted_text_stays_deleted(database, two, merge, part, ada):
    gone, kept = two
    write(database, ada, gone, "Live.")
    write(database, ada, kept, "Put away.")
    do(database, delete_summary, ada, kept)
    merge_id = merge(gone, kept)
    assert texts(database, ada, kept) == ["Live."]
    part(merge_id)
    assert texts(database, ada, kept) == []
    assert texts(database, ada, gone) == ["Live."]
    do(database, delete_summary, ada, gone)
    merge(gone, kept)
    assert texts(database, ada, kept) == []


# What is shown


def test_records_of_both_papers_are_accepted_and_the_shown_one_follows_the_usual_rule(database, ada, merge, part):
    with database.write() as tx:
        preprint, _ = add_paper(tx, ada, Ref("arxiv", "2401.00001"))
        paper, _ = add_paper(tx, ada, Ref("doi", "10.1145/1"))
        said: Any = {"authors": PEOPLE, "title": TITLE}
        store_record(tx, preprint, Metadata(Ref("arxiv", "2401.00001"), stage="preprint", abstract="Short.", **said))
        other: Any = {"title": "Keeping What Models Know", "authors": PEOPLE}
        store_record(tx, paper, Metadata(Ref("doi", "10.1145/1"), "crossref", stage="published", year=2024, **other))
    merge_id = merge(paper, preprint)
    with database.read() as tx:
        shown = tx.get_one(Paper, preprint)
        assert (shown.title, shown.year, shown.abstract) == ("Keeping What Models Know", 2024, "Short.")
        assert set(
            tx.scalars(sa.select(col(MetadataRecord.state)).where(col(MetadataRecord.paper_id) == preprint))
        ) == {"agrees"}
        assert found(database, ada, "keeping") == {preprint}
    with database.write() as tx:  # a later answer about the name that goes back
        store_record(tx, paper, Metadata(Ref("doi", "10.1145/1"), "crossref", stage="published", year=2025, **other))
        assert tx.get_one(Paper, preprint).year == 2025
    part(merge_id)
    with database.read() as tx:
        rows = [(tx.get_one(Paper, each).title, tx.get_one(Paper, each).year) for each in (preprint, paper)]
        assert rows == [(TITLE, None), ("Keeping What Models Know", 2025)]
        assert search.check(tx) == []


def test_user_supplied_fields_fill_gaps_of_the_survivor(database, two, merge, part, editor, ada):
    gone, kept = two
    do(database, edit_paper, ada, gone, PaperUpdate(venue="OSDI 2024", title="Gone"), version=1)
    do(database, edit_paper, ada, kept, PaperUpdate(title="Kept", triage="inbox"), version=1)
    merge_id = merge(gone, kept)

    def shown(paper_id):
        with database.read() as tx:
            paper = tx.get_one(Paper, paper_id)
            return paper.title, paper.venue, sorted(paper.field_locks), paper.triage

    assert shown(kept) == ("Kept", "OSDI 2024", ["title", "venue"], "library")
    part(merge_id)
    assert shown(kept) == ("Kept", "", ["title"], "inbox")
    assert shown(gone) == ("Gone", "OSDI 2024", ["title", "venue"], "library")


def test_records_about_a_titled_paper_are_not_verified_by_a_merged_papers_title(database, merge, ada):
    doi = Ref("doi", "10.1145/2")
    with database.write() as tx:
        gone = make.paper(tx, "Elastic Training in Clusters").id
        kept, _ = add_paper(tx, ada, doi)
        store_record(tx, kept, Metadata(doi, "crossref", stage="published", title=TITLE, authors=PEOPLE, year=2024))
    merge(gone, kept)
    with database.read() as tx:
        paper = tx.get_one(Paper, kept)
        assert (paper.title, paper.year, paper.user_supplied) == (TITLE, 2024, {})


@pytest.mark.parametrize(
    ("gone_is", "kept_is", "together"),
    [
        ("library", "inbox", "library"),
        ("inbox", "library", "library"),
        ("rejected", "library", "library"),
        ("rejected", "inbox", "inbox"),
        ("inbox", "rejected", "inbox"),
    ],
)
def test_the_triage_of_a_merged_paper_combines_both(database, merge, gone_is, kept_is, together):
    gone, kept = (do(database, make.paper, triage=triage).id for triage in (gone_is, kept_is))
    merge(gone, kept)
    with database.read() as tx:
        assert tx.get_one(Paper, kept).triage == together


def test_records_are_verified_by_the_title_a_person_entered_on_the_survivor_since(database, two, merge, part, ada):
    with database.write() as tx:
        kept, _ = add_paper(tx, ada, Ref("arxiv", "2401.00002"))  # nobody knows its title
    merge_id = merge(two[0], kept)
    paper = ask(database, lists.get_row, ada, kept)
    do(database, edit_paper, ada, kept, PaperUpdate(title="Typed Since"), version=paper.version)
    part(merge_id)
    with database.read() as tx:
        paper = tx.get_one(Paper, kept)
        assert (paper.title, paper.user_supplied) == ("Typed Since", {"title": "Typed Since"})


def test_a_merge_is_in_the_history_of_the_survivor_and_in_the_list(database, two, merge, part, editor):
    gone, kept = two
    merge_id = merge(gone, kept)
    (row,) = ask(database, list_merges, kept)
    assert (row.id, row.from_id, row.title, row.merged_by) == (merge_id, gone, "Saving State", "Edith")
    part(merge_id)
    assert ask(database, list_merges, kept) == []
    with database.read() as tx:
        verbs = sa.select(col(Event.verb), col(Event.paper_id)).order_by(col(Event.id))
        told = [tuple(row) for row in tx.execute(verbs)]
        assert told == [("paper.merged", kept), ("paper.unmerged", gone), ("paper.unmerged", kept)]


def test_a_suspected_pair_is_decided_by_a_merge_and_open_again_after_an_unmerge(database, two, merge, part):
    gone, kept = two
    with database.write() as tx:
        third = make.paper(tx).id
        add_candidate(tx, gone, kept, likeness=90, evidence="The same title.")
        add_candidate(tx, gone, third, likeness=80, evidence="Alike.")

    def pairs():
        with database.read() as tx:
            return {(row.first_id, row.second_id): row.state for row in tx.scalars(sa.select(DuplicatePair))}

    before = pairs()
    merge_id = merge(gone, kept)
    assert pairs() == {(gone, kept): "merged", (gone, third): "open", (kept, third): "open"}
    part(merge_id)
    assert pairs() == before


def test_a_field_chosen_from_a_record_that_moves_back_stays_as_chosen(database, ada, merge, part):
    with database.write() as tx:
        gone, _ = add_paper(tx, ada, Ref("arxiv", "2401.00001"), title=TITLE)
        kept, _ = add_paper(tx, ada, Ref("doi", "10.1145/1"), title=TITLE)
        record = store_record(tx, gone, Metadata(Ref("arxiv", "2401.00001"), title=TITLE, authors=PEOPLE, year=2023))
        assert record is not None
        record_id = record.id or 0
    merge_id = merge(gone, kept)
    do(database, choose_field, ada, kept, "year", record_id=record_id)
    part(merge_id)
    with database.read() as tx:
        assert tx.get_one(Paper, kept).year == 2023
