"""Whatever two people do, in whatever order: their readings are independent, and each is what its events say."""

from typing import Any

import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlmodel import col

from readtrack.db import Database
from readtrack.errors import Conflict
from readtrack.models import Reading, ReadingEvent
from readtrack.policy import Visitor
from readtrack.readings import commands
from readtrack.readings.commands import ReadingSet
from tests import make
from tests.readings.test_commands import STATUSES, TRANSITIONS

WHO = st.integers(0, 1)
State = dict[str, Any] | None


class Readers(RuleBasedStateMachine):
    """Two people and one paper. The model holds each one's state and what undo would bring back."""

    database: Database
    people: tuple[Visitor, Visitor]

    def __init__(self) -> None:
        super().__init__()
        with self.database.write() as tx:
            self.paper_id = make.paper(tx).id or 0
        self.now: list[State] = [None, None]
        self.undo_to: list[list[State]] = [[], []]
        self.told: list[tuple[Any, ...]] = []

    @rule(who=WHO, status=st.sampled_from(STATUSES), private=st.sampled_from([None, True, False]))
    def say(self, who, status, private):
        now = self.now[who]
        before = now["status"] if now else None
        if status != before and status not in TRANSITIONS[before]:
            self.refused(lambda tx: self.set(tx, who, status, private))
            return
        with self.database.write() as tx:
            self.set(tx, who, status, private)
        number = (now["pass"] if now else 1) + (before == "read" and status == "reading")
        kept = bool(now and now["private"]) if private is None else private
        state = {"status": status, "private": kept, "pass": number}
        self.becomes(who, state, self.undo_to[who] if state == now else [now])  # said again, it is no change

    @rule(who=WHO)
    def take_off(self, who):
        now = self.now[who]
        if now is None:
            return
        if now["status"] != "to_read" or now["pass"] > 1:
            self.refused(lambda tx: commands.remove_reading(tx, self.people[who], self.paper_id))
            return
        with self.database.write() as tx:
            commands.remove_reading(tx, self.people[who], self.paper_id)
        self.becomes(who, None, [now])

    @rule(who=WHO)
    def undo(self, who):
        if not self.undo_to[who]:
            self.refused(lambda tx: commands.undo_reading(tx, self.people[who], self.paper_id))
            return
        with self.database.write() as tx:
            commands.undo_reading(tx, self.people[who], self.paper_id)
        self.becomes(who, self.undo_to[who][0], [])

    def set(self, tx, who, status, private):
        said = {"status": status} | ({} if private is None else {"private": private})
        commands.set_reading(tx, self.people[who], self.paper_id, ReadingSet.model_validate(said))

    def becomes(self, who, state, undo_to):
        self.now[who], self.undo_to[who] = state, undo_to

    def refused(self, change):
        try:
            with self.database.write() as tx:
                change(tx)
        except Conflict:
            return
        raise AssertionError(self.now)

    @invariant()
    def both_are_as_they_left_it(self):
        with self.database.read() as tx:
            here = sa.select(Reading).where(col(Reading.paper_id) == self.paper_id, col(Reading.current))
            found = [
                (row.person_id, {"status": row.status, "private": row.private, "pass": row.pass_number})
                for row in tx.scalars(here.order_by(col(Reading.person_id)))
            ]
        assert found == [(me.id, state) for me, state in zip(self.people, self.now, strict=True) if state]

    @invariant()
    def history_only_grows_and_ends_in_what_stands_there(self):
        here = sa.select(ReadingEvent).where(col(ReadingEvent.paper_id) == self.paper_id).order_by(col(ReadingEvent.id))
        with self.database.read() as tx:
            told = [(e.id, e.verb, e.person_id, e.after) for e in tx.scalars(here)]
        assert told[: len(self.told)] == self.told
        self.told = told
        for me, state in zip(self.people, self.now, strict=True):
            last = next((after for *_, person_id, after in reversed(told) if person_id == me.id), None)
            assert {name: last[name] for name in state} == state if last and state else last is None and state is None


def test_readings_of_two_people_are_independent_and_are_what_their_events_say(database):
    with database.write() as tx:
        people = (make.visitor(tx), make.visitor(tx))
    machine = type("Library", (Readers,), {"database": database, "people": people})
    run_state_machine_as_test(machine, settings=settings(max_examples=12, stateful_step_count=15))
