"""What a team has on two papers that are one for a while: talk, questions, assignments, proposals, agendas, notices."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Comment,
    Meeting,
    Notification,
    Question,
    ReadMarker,
    Series,
    Vote,
)
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick
TABLES = (Comment, Question, Assignment, Candidate, AgendaItem, Notification)


@pytest.fixture
def do(database):
    def do(verb, *given, **named):
        with database.write() as tx:
            return verb(tx, *given, **named)

    return do


@pytest.fixture
def add(do):
    return lambda table, **fields: do(make.added, table(**fields))


@pytest.fixture
def ada(do):
    return do(make.visitor, "Ada")


@pytest.fixture
def bo(do):
    return do(make.visitor, "Bo")


@pytest.fixture
def two(do):
    return do(make.paper).id, do(make.paper).id


@pytest.fixture
def editor(do):
    return do(make.visitor, "Edith", role="editor")


@pytest.fixture
def merge(do, editor):
    def merge(from_id, into_id):
        do(merge_papers, editor, from_id, into_id=into_id)
        return do(list_merges, into_id)[-1].id

    return merge


@pytest.fixture
def part(do, editor):
    return lambda merge_id: do(unmerge, editor, merge_id).id


@pytest.fixture
def looks(merge, part, ada, bo):
    return merge, part, ada, bo


def owners(do, table):
    """Of which papers the rows are, the oldest row first."""
    age = table.created_at if table is Notification else table.id
    return do(lambda tx: tx.scalars(sa.select(col(table.paper_id)).order_by(col(age))).all())


def rows(do, table, *of):
    shown = [col(getattr(table, name)) for name in of]
    return do(lambda tx: [tuple(row) for row in tx.execute(sa.select(*shown).order_by(*shown))])


def change(do, table, row_id, **values):
    do(lambda tx: tx.execute(sa.update(table).where(col(table.id) == row_id).values(**values)))


def asked(add, person, paper_id, **said):
    return add(Assignment, person_id=person.id, paper_id=paper_id, open_key=f"{person.id}:{paper_id}", **said)


def comment(add, person, paper_id, **said):
    return add(Comment, person_id=person.id, paper_id=paper_id, markdown="Hm.", **said).id


@pytest.mark.both_databases
def test_a_merge_moves_team_data_and_an_unmerge_moves_it_back(do, add, two, merge, part, ada, bo):
    gone, kept = two
    series, meeting = add(Series, name="Weekly"), add(Meeting, title="First", starts_at=now())
    first = comment(add, ada, gone)
    comment(add, bo, gone, parent_id=first)
    add(Question, text="Why?", paper_id=gone)
    asked(add, ada, gone)
    add(Candidate, series_id=series.id, paper_id=gone)
    add(AgendaItem, meeting_id=meeting.id, paper_id=gone)
    add(Notification, person_id=ada.id, kind="reply", paper_id=gone, comment_id=first)

    merge_id = merge(gone, kept)
    assert {table: set(owners(do, table)) for table in TABLES} == {table: {kept} for table in TABLES}
    assert rows(do, Assignment, "open_key") == [(f"{ada.id}:{kept}",)]

    part(merge_id)
    assert {table: set(owners(do, table)) for table in TABLES} == {table: {gone} for table in TABLES}
    assert rows(do, Assignment, "open_key") == [(f"{ada.id}:{gone}",)]


def test_replies_made_meanwhile_move_with_their_thread_and_new_threads_stay(do, add, two, merge, part, ada, bo):
    gone, kept = two
    first = comment(add, ada, gone)
    merge_id = merge(gone, kept)
    answer, begun = comment(add, bo, kept, parent_id=first), comment(add, bo, kept)
    for about in (answer, begun):
        add(Notification, person_id=ada.id, kind="reply", paper_id=kept, comment_id=about)

    part(merge_id)

    assert owners(do, Comment) == [gone, gone, kept]
    assert owners(do, Notification) == [gone, kept]


def test_a_notification_about_a_text_moves_with_the_text(do, add, two, merge, part, ada, bo):
    gone, kept = two
    text = do(edit_summary, ada, gone, SummaryUpdate(markdown="Mine."), version=None)
    merge_id = merge(gone, kept)
    add(Notification, person_id=bo.id, kind="mention", paper_id=kept, summary_id=text.id)

    part(merge_id)

    assert owners(do, Notification) == [gone]


def test_assignments_to_both_papers_are_combined_and_separated_again(do, add, two, merge, part, ada, bo):
    gone, kept = two
    asked(add, ada, gone)
    asked(add, bo, gone)
    asked(add, ada, kept, state="accepted")
    add(Assignment, person_id=ada.id, paper_id=gone, state="declined")
    before = rows(do, Assignment, "id", "paper_id", "open_key", "state")

    merge_id = merge(gone, kept)
    assert owners(do, Assignment) == [gone, kept, kept, kept]
    part(merge_id)

    assert rows(do, Assignment, "id", "paper_id", "open_key", "state") == before


def test_an_assignment_reopened_meanwhile_stays_if_the_other_paper_has_an_open_one(do, add, two, merge, part, ada):
    gone, kept = two
    stays = asked(add, ada, gone)
    closed = add(Assignment, person_id=ada.id, paper_id=gone, state="declined")
    theirs = asked(add, ada, kept)
    merge_id = merge(gone, kept)
    change(do, Assignment, theirs.id, state="withdrawn", open_key=None)
    change(do, Assignment, closed.id, state="accepted", open_key=f"{ada.id}:{kept}")

    part(merge_id)

    here = rows(do, Assignment, "id", "paper_id")
    assert here == sorted([(stays.id, gone), (closed.id, kept), (theirs.id, kept)])


@pytest.mark.both_databases
def test_votes_for_both_are_counted_together_and_separately_again(do, add, two, merge, part, ada, bo):
    gone, kept = two
    series, cy = add(Series, name="Weekly"), do(make.visitor, "Cy")
    away = add(Candidate, series_id=series.id, paper_id=gone).id
    here = add(Candidate, series_id=series.id, paper_id=kept, state="withdrawn").id
    for candidate, who, value in ((away, ada, 1), (away, bo, 1), (away, cy, 1), (here, bo, -1)):
        add(Vote, candidate_id=candidate, person_id=who.id, value=value)
    before = rows(do, Vote, "candidate_id", "person_id", "value")

    merge_id = merge(gone, kept)
    counted = {row[1:] for row in rows(do, Vote, "candidate_id", "person_id", "value") if row[0] == here}
    assert counted == {(ada.id, 1), (bo.id, -1), (cy.id, 1)}
    assert rows(do, Candidate, "paper_id", "state") == [(gone, "open"), (kept, "open")]
    again = sa.update(Vote).where(col(Vote.candidate_id) == here, col(Vote.person_id) == cy.id)
    do(lambda tx: tx.execute(again.values(value=0, voted_at=now() + timedelta(seconds=1))))

    part(merge_id)
    assert rows(do, Vote, "candidate_id", "person_id", "value") == sorted([*before, (here, cy.id, 0)])
    assert rows(do, Candidate, "paper_id", "state") == [(gone, "open"), (kept, "withdrawn")]


def test_a_proposal_stays_though_the_other_papers_proposal_was_withdrawn(do, add, two, merge):
    gone, kept = two
    series = add(Series, name="Weekly")
    add(Candidate, series_id=series.id, paper_id=gone, state="withdrawn")
    add(Candidate, series_id=series.id, paper_id=kept)
    merge(gone, kept)
    assert rows(do, Candidate, "paper_id", "state") == [(gone, "withdrawn"), (kept, "open")]


def test_votes_for_one_merged_paper_do_not_count_for_another(do, add, two, merge, part, ada, bo):
    (first, second), kept = two, do(make.paper).id
    series = add(Series, name="Weekly")
    candidates = [add(Candidate, series_id=series.id, paper_id=paper_id).id for paper_id in (first, second)]
    for candidate, who in zip(candidates, (ada, bo), strict=True):
        add(Vote, candidate_id=candidate, person_id=who.id, value=1)
    before = rows(do, Vote, "candidate_id", "person_id", "value")
    one, other = merge(first, kept), merge(second, kept)

    part(one)
    assert owners(do, Candidate) == [first, kept]
    assert rows(do, Vote, "candidate_id", "person_id", "value") == before
    part(other)
    assert owners(do, Candidate) == [first, second]
    assert rows(do, Vote, "candidate_id", "person_id", "value") == before


def test_agenda_items_of_one_meeting_about_both_are_combined_and_separated_again(do, add, two, merge, part):
    meeting = add(Meeting, title="First", starts_at=now())
    for paper_id in two:
        add(AgendaItem, meeting_id=meeting.id, paper_id=paper_id)

    merge_id = merge(*two)
    assert owners(do, AgendaItem) == list(two)  # the other stays with the paper that nobody sees
    part(merge_id)
    assert owners(do, AgendaItem) == list(two)


# How far somebody read on the one paper and on the other, and on both together.
SEEN = [
    (0, 0, None),
    (2, 0, 2),  # of four comments: 1 and 2 on the one, 3 and 4 on the other
    (1, 4, 1),
    (2, 3, 3),
    (2, 4, 4),
    (0, 4, 0),
]


@pytest.mark.both_databases
def test_unread_items_stay_unread_after_a_merge(do, add, two, merge, part, bo):
    numbers = [comment(add, bo, paper_id) for paper_id in (two[0], two[0], two[1], two[1])]
    of = dict(enumerate([numbers[0] - 1, *numbers]))
    people = [do(make.visitor).id for _ in SEEN]
    for person_id, seen in zip(people, SEEN, strict=True):
        for paper_id, last in zip(two, seen[:2], strict=True):
            if last:
                add(ReadMarker, person_id=person_id, subject="paper", subject_id=paper_id, comment_id=of[last])
    before = rows(do, ReadMarker, "person_id", "subject_id", "comment_id")

    merge_id = merge(*two)
    marks = rows(do, ReadMarker, "subject_id", "person_id", "comment_id")
    together = [
        (two[1], person_id, of[last]) for person_id, (*_, last) in zip(people, SEEN, strict=True) if last is not None
    ]
    assert [mark for mark in marks if mark[0] == two[1]] == together
    part(merge_id)
    assert rows(do, ReadMarker, "person_id", "subject_id", "comment_id") == before


def test_viewing_the_merged_paper_marks_both_as_read(do, add, two, merge, part, ada, bo):
    gone, kept = two
    numbers = [comment(add, bo, paper_id) for paper_id in two]
    add(ReadMarker, person_id=ada.id, subject="paper", subject_id=kept, comment_id=0)
    merge_id = merge(gone, kept)
    do(lambda tx: tx.execute(sa.update(ReadMarker).values(comment_id=numbers[-1])))

    part(merge_id)

    assert rows(do, ReadMarker, "subject_id", "comment_id") == [(paper_id, numbers[-1]) for paper_id in sorted(two)]
