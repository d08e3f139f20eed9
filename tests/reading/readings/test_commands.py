"""Verbs of reading: which change may follow which, what each does to dates and passes, and taking it back."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra.clock import now, today
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Event, Reading, ReadingEvent
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.readings import commands, queries, status_transitions
from readtrack.reading.readings.commands import ReadingProgress, ReadingUpdate
from tests import make

STATUSES = ("to_read", "reading", "paused", "read", "dropped")
TRANSITIONS: dict[str | None, set[str | None]] = {  # docs/model.md, written again on purpose
    None: {"to_read", "reading", "read", "dropped"},
    "to_read": {"reading", "read", "dropped", None},
    "reading": {"paused", "read", "dropped", "to_read"},
    "paused": {"reading", "read", "dropped"},
    "dropped": {"to_read", "reading"},
    "read": {"reading"},
}
EVERY_CHANGE = [(before, after) for before in TRANSITIONS for after in (*STATUSES, None) if before != after]


@pytest.fixture
def ada(database) -> CurrentUser:
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="viewer")


@pytest.fixture
def paper_id(database) -> int:
    with database.write() as tx:
        return make.paper(tx, "Attention").id or 0


@pytest.fixture
def change(database, ada, paper_id):
    """Says something about Ada's reading; what then stands there."""

    def change(**said):
        with database.write() as tx:
            commands.set_reading(tx, ada, paper_id, ReadingUpdate.model_validate(said))
        return mine(database, ada, paper_id)

    return change


def mine(database, me, paper_id):
    with database.read() as tx:
        return queries.find_my_reading(tx, me, paper_id)


def undo(database, me, paper_id):
    with database.write() as tx:
        commands.undo_reading(tx, me, paper_id)
    return mine(database, me, paper_id)


def log(database):
    with database.read() as tx:
        rows = tx.scalars(sa.select(ReadingEvent).order_by(col(ReadingEvent.id))).all()
        return [(row.verb, row.from_status, row.to_status) for row in rows]


def begin(tx, me, before):
    """A paper of its own on my list in that status."""
    paper_id = make.paper(tx).id or 0
    if before:
        make.reading(tx, me.id, paper_id, before)
    return paper_id


def refusal_of(tx, me, paper_id, after):
    """Why the change is not made; None when it is."""
    try:
        if after is None:
            commands.remove_reading(tx, me, paper_id)
        else:
            commands.set_reading(tx, me, paper_id, ReadingUpdate(status=after))
    except Conflict as refusal:
        return refusal
    return None


def test_every_change_is_allowed_or_refused_as_the_model_says(database, ada):
    seen: dict = {before: set() for before in TRANSITIONS}
    for before, after in EVERY_CHANGE:
        with database.write() as tx:
            paper_id = begin(tx, ada, before)
            refusal = refusal_of(tx, ada, paper_id, after)
        if refusal is None:
            seen[before].add(after)
        else:
            assert set(refusal.allowed) == TRANSITIONS[before] - {None}, (before, after)
            assert "Can't change from" in refusal.message
        stands = mine(database, ada, paper_id)
        assert (stands.status if stands else None) == (after if after in TRANSITIONS[before] else before)
    assert seen == TRANSITIONS
    assert {before: set(after) for before, after in status_transitions.ALLOWED.items()} == TRANSITIONS


def test_starting_and_finishing_default_to_today(change):
    assert change(status="reading").started_on == today()
    done = change(status="read", depth="studied")
    assert (done.started_on, done.finished_on, done.depth) == (today(), today(), "studied")


def test_dates_may_be_backdated_and_are_kept(change):
    done = change(status="read", started_on="2024-02-28", finished_on="2024-03-01")
    assert (done.started_on, done.finished_on) == (date(2024, 2, 28), date(2024, 3, 1))
    assert change(started_on=None).started_on is None


@pytest.mark.parametrize(
    ("started", "finished"),
    [(date(2024, 3, 2), date(2024, 3, 1)), (None, "tomorrow and a day"), ("tomorrow and a day", None)],
)
def test_impossible_dates_are_refused_and_change_nothing(database, ada, paper_id, change, started, finished):
    late = today() + timedelta(days=2)
    said = {"started_on": started, "finished_on": finished}
    said = {name: late if isinstance(day, str) else day for name, day in said.items()}
    change(status="to_read")
    with pytest.raises(Invalid):
        change(status="read", **said)
    assert mine(database, ada, paper_id).status == "to_read"
    assert len(log(database)) == 1


@pytest.mark.parametrize(
    ("zone", "day"), [("America/Los_Angeles", 1), ("", 2), ("Asia/Tokyo", 2), ("Pacific/Kiritimati", 2)]
)
@time_machine.travel(datetime(2026, 3, 2, 5, tzinfo=UTC), tick=False)
def test_today_is_the_date_in_the_readers_time_zone(database, ada, paper_id, zone, day):
    me = replace(ada, time_zone=zone)
    with database.write() as tx:
        commands.set_reading(tx, me, paper_id, ReadingUpdate(status="reading"))
        done, _ = commands.set_reading(tx, me, paper_id, ReadingUpdate(status="read"))
    assert (done.started_on, done.finished_on) == (date(2026, 3, day), date(2026, 3, day))
    tomorrow = date(2026, 3, day + 1 + (not zone))  # who never said where they are may be a day ahead
    with pytest.raises(Invalid, match="in the future"), database.write() as tx:
        commands.set_reading(tx, me, paper_id, ReadingUpdate(finished_on=tomorrow))


@time_machine.travel(datetime(2026, 3, 2, 5, tzinfo=UTC), tick=False)
def test_a_reader_who_travelled_west_can_still_continue_and_finish(database, ada, paper_id):
    east, west = replace(ada, time_zone="Asia/Tokyo"), replace(ada, time_zone="America/Los_Angeles")
    with database.write() as tx:
        commands.set_reading(tx, east, paper_id, ReadingUpdate(status="reading"))
        commands.set_reading(tx, west, paper_id, ReadingUpdate(reason="for the seminar"))
        done, _ = commands.set_reading(tx, west, paper_id, ReadingUpdate(status="read"))
    assert (done.started_on, done.finished_on) == (date(2026, 3, 2), date(2026, 3, 2))


def test_a_partial_year_is_not_a_date(change):
    with pytest.raises(Invalid, match="all four digits"):
        change(status="read", finished_on="0024-03-01")


def test_a_start_after_the_existing_end_is_refused(change):
    change(status="read", finished_on="2024-03-01")
    with pytest.raises(Invalid):
        change(started_on="2024-03-02")


def test_a_status_from_notes_has_no_date(database, ada, paper_id):
    with database.write() as tx:
        commands.set_reading(tx, ada, paper_id, ReadingUpdate(status="read"), changed_on=date.min)
    stands = mine(database, ada, paper_id)
    assert (stands.status, stands.started_on, stands.finished_on) == ("read", None, None)


def test_rereading_opens_the_next_pass_and_keeps_the_first(database, ada, paper_id, change):
    change(status="read", depth="studied", finished_on="2024-03-01", private=True)
    again = change(status="reading")
    assert (again.pass_number, again.status, again.depth, again.finished_on, again.private) == (
        2,
        "reading",
        "",
        None,
        True,
    )
    with database.read() as tx:
        first, _ = queries.list_passes(tx, ada, paper_id)
    assert (first.status, first.depth, first.finished_on) == ("read", "studied", date(2024, 3, 1))


def test_a_reader_stays_a_reader_while_rereading(database, ada, paper_id, change):
    change(status="read")
    change(status="reading")
    with database.read() as tx:
        assert queries.list_readers(tx, ada, [paper_id]) == {paper_id: ["Ada"]}


def test_a_later_pass_cannot_be_removed_from_the_list_and_the_error_does_not_offer_it(database, ada, paper_id, change):
    for status in ("read", "reading", "to_read"):
        change(status=status)
    with pytest.raises(Conflict) as refused, database.write() as tx:
        commands.remove_reading(tx, ada, paper_id)
    assert set(refused.value.allowed) == {"reading", "read", "dropped"}
    assert "no status" not in refused.value.message.partition("Available:")[2]
    assert mine(database, ada, paper_id).pass_number == 2


@pytest.mark.parametrize("status", ["to_read", "reading", "paused", "dropped"])
def test_only_a_finished_reading_has_a_depth_and_an_end_date(change, status):
    if status == "paused":
        change(status="reading")
    change(status=status)
    for said in ({"depth": "studied"}, {"finished_on": "2024-03-01"}):
        with pytest.raises(Invalid, match="Only papers marked as read"):
            change(**said)
    stands = change(depth=None, finished_on=None)
    assert (stands.status, stands.depth, stands.finished_on) == (status, "", None)


def test_returning_to_the_list_clears_the_reason_for_dropping(change):
    assert change(status="dropped", reason="no proof").reason == "no proof"
    assert change(status="to_read").reason == ""


def test_omitted_fields_stay_and_null_clears_progress(change):
    change(status="reading", progress={"unit": "page", "at": 7, "of": 14}, private=True)
    stands = change(reason="for the seminar")
    assert (stands.progress_unit, stands.progress_at, stands.progress_of, stands.private) == ("page", 7, 14, True)
    assert change(progress=None).progress_unit == ""


@pytest.mark.parametrize(
    "progress",
    [
        {"unit": "page", "at": 15, "of": 14},
        {"unit": "percent", "at": 101},
        {"unit": "page", "at": -1},
        {"unit": "page", "at": 1, "of": 0},
        {"unit": "minute", "at": 1},
    ],
)
def test_progress_beyond_the_end_is_refused(progress):
    with pytest.raises(ValueError, match="progress"):
        ReadingUpdate.model_validate({"progress": progress})


def test_percent_progress_is_out_of_a_hundred_whatever_a_client_sends():
    assert ReadingProgress(unit="percent", at=40, of=100).of is None
    with pytest.raises(ValueError, match="of 100"):
        ReadingProgress(unit="percent", at=4, of=14)


def test_details_of_a_paper_not_on_the_list_need_a_status_first(change, ada, database, paper_id):
    with pytest.raises(Conflict) as refused:
        change(private=True)
    assert set(refused.value.allowed) == TRANSITIONS[None] - {None}
    assert mine(database, ada, paper_id) is None


def test_a_deleted_paper_cannot_be_read(database, ada):
    with database.write() as tx:
        gone = make.paper(tx, deleted_at=now()).id or 0
    for paper in (gone, 4711):
        with pytest.raises(NotFound), database.write() as tx:
            commands.set_reading(tx, ada, paper, ReadingUpdate(status="to_read"))


def test_undo_restores_the_previous_state_and_is_in_the_history(database, ada, paper_id, change):
    change(status="reading", started_on="2024-02-01", progress={"unit": "page", "at": 3})
    before = mine(database, ada, paper_id)
    change(status="read", depth="skimmed")
    after = undo(database, ada, paper_id)
    assert after == before
    assert log(database) == [
        ("set", None, "reading"),
        ("set", "reading", "read"),
        ("undone", "read", "reading"),
    ]


def test_undoing_the_first_change_removes_the_paper_from_the_list(database, ada, paper_id, change):
    change(status="dropped")
    assert undo(database, ada, paper_id) is None


def test_undo_closes_the_pass_the_change_opened(database, ada, paper_id, change):
    change(status="read", depth="studied", finished_on="2024-03-01")
    change(status="reading")
    stands = undo(database, ada, paper_id)
    assert (stands.pass_number, stands.status, stands.depth, stands.finished_on) == (
        1,
        "read",
        "studied",
        date(2024, 3, 1),
    )
    assert change(status="reading").pass_number == 2


def test_undo_puts_a_removed_paper_back_on_the_list(database, ada, paper_id, change):
    change(status="to_read", private=True)
    with database.write() as tx:
        commands.remove_reading(tx, ada, paper_id)
    stands = undo(database, ada, paper_id)
    assert (stands.status, stands.private, stands.pass_number) == ("to_read", True, 1)


def test_undo_covers_only_the_last_change_and_only_for_one_day(database, ada, paper_id, change):
    with pytest.raises(Conflict, match="Nothing to undo"):
        undo(database, ada, paper_id)
    with time_machine.travel(now() - timedelta(days=1, minutes=1), tick=False):
        change(status="reading")
    with pytest.raises(Conflict, match="Nothing to undo"):
        undo(database, ada, paper_id)
    change(status="read")
    undo(database, ada, paper_id)
    with pytest.raises(Conflict, match="Nothing to undo"):
        undo(database, ada, paper_id)


def test_nobody_can_undo_another_persons_change(database, ada, paper_id, change):
    change(status="reading")
    with database.write() as tx:
        bob = make.visitor(tx, "Bob")
    with pytest.raises(Conflict):
        undo(database, bob, paper_id)
    assert mine(database, ada, paper_id).status == "reading"


def test_events_of_a_private_reading_are_private(database, ada, paper_id, change):
    change(status="reading", private=True)
    change(status="read")
    undo(database, ada, paper_id)
    with database.read() as tx:
        assert set(tx.scalars(sa.select(col(Event.private)))) == {True}


def test_changing_a_readings_visibility_never_reveals_its_private_time(database, ada, paper_id, change):
    change(status="reading", private=True)
    change(status="read", private=False)
    undo(database, ada, paper_id)
    told = sa.select(col(Event.data), col(Event.private)).order_by(col(Event.id))
    with database.read() as tx:
        first, second, third = [(event.data.get("status"), event.private) for event in tx.execute(told)]
    assert (first, second, third) == (("reading", True), ("read", True), (None, True))


def test_every_person_has_their_own_reading(database, paper_id):
    with database.write() as tx:
        people = [make.visitor(tx), make.visitor(tx)]
    for me, status in zip(people, ("read", "dropped"), strict=True):
        with database.write() as tx:
            commands.set_reading(tx, me, paper_id, ReadingUpdate(status=status))
    assert [mine(database, me, paper_id).status for me in people] == ["read", "dropped"]
    with database.read() as tx:
        assert tx.scalar(sa.select(sa.func.count()).select_from(Reading)) == 2
