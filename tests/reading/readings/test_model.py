"""Whatever two people do, in whatever order: their readings are independent, each is what its events say, and what one
keeps private is in nobody else's counts.
"""

from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlmodel import col

from readtrack.infra.db import Database
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.models import Reading, ReadingEvent
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers import reading_queue
from readtrack.reading.readings import commands, queries
from readtrack.reading.readings.commands import QueueMove, ReadingUpdate
from readtrack.reading.readings.positions import move_by_step, move_next_to
from readtrack.reading.readings.status_transitions import RECOMMENDATIONS
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from readtrack.workspace.bulk_actions.undo import undo_bulk_action
from tests import make
from tests.depth import examples
from tests.reading.readings.test_commands import STATUSES, TRANSITIONS

pytestmark = pytest.mark.slow  # many requests

WHO, WHICH = st.integers(0, 1), st.integers(0, 2)
PRIVATE, PRIORITY = st.sampled_from([None, True, False]), st.sampled_from([1, 0, -1])
State = dict[str, Any] | None


class Readers(RuleBasedStateMachine):
    """Two people and three papers. The model holds each one's states, what undo would bring back, and their queues."""

    database: Database

    def __init__(self) -> None:
        super().__init__()
        with self.database.write() as tx:
            self.people: list[CurrentUser] = [
                make.visitor(tx),
                make.visitor(tx),
            ]  # new ones, as a queue has all of theirs
            self.papers = [make.paper(tx).id or 0 for _ in range(3)]
        self.now: list[list[State]] = [[None] * 3, [None] * 3]
        self.undo_to: list[list[list[State]]] = [[[], [], []], [[], [], []]]
        self.queues: list[dict[int, list[int]]] = [{1: [], 0: [], -1: []}, {1: [], 0: [], -1: []}]
        self.last: list[Any] = [None, None]  # each one's last change, and the queue before it
        self.deed: list[Any] = [None, None]
        self.told: list[tuple[Any, ...]] = []

    @rule(who=WHO, which=WHICH, status=st.sampled_from(STATUSES), private=PRIVATE)
    def say(self, who, which, status, private):
        then = self.after(who, which, status, private)
        said = {"status": status} | ({} if private is None else {"private": private})
        if then is None:
            self.refused(lambda tx: self.set(tx, who, which, said), Conflict)
            return
        with self.database.write() as tx:
            self.set(tx, who, which, said)
        self.becomes(who, which, then)

    @rule(who=WHO, which=WHICH, word=st.sampled_from(["", *RECOMMENDATIONS]))
    def recommend(self, who, which, word):
        self.say_of(who, which, {"recommendation": word}, only="read")

    @rule(who=WHO, which=WHICH, priority=PRIORITY)
    def prefer(self, who, which, priority):
        self.say_of(who, which, {"priority": priority}, only="to_read")

    @rule(who=WHO, which=WHICH, to=st.sampled_from(["top", "up", "down", "bottom"]))
    def move(self, who, which, to):
        self.moved(who, which, QueueMove(to=to), lambda line, one: move_by_step(line, one, to))

    @rule(who=WHO, which=WHICH, other=WHICH, before=st.booleans())
    def move_beside(self, who, which, other, before):
        there = {"before" if before else "after": self.papers[other]}
        self.moved(who, which, QueueMove(**there), lambda line, one: move_next_to(line, one, **there), other)

    @rule(who=WHO, which=WHICH)
    def take_off(self, who, which):
        now = self.now[who][which]
        if now is None:
            return
        if now["status"] != "to_read" or now["pass"] > 1:
            self.refused(lambda tx: commands.remove_reading(tx, self.people[who], self.papers[which]), Conflict)
            return
        with self.database.write() as tx:
            commands.remove_reading(tx, self.people[who], self.papers[which])
        self.becomes(who, which, None)

    @rule(who=WHO, status=st.sampled_from(STATUSES), private=PRIVATE)
    def say_of_all(self, who, status, private):
        said = {"status": status} | ({} if private is None else {"private": private})
        before = self.line(who)
        with self.database.write() as tx:
            wanted = BulkRequest(papers=self.papers, act="reading", reading=ReadingUpdate(**said))
            done = run_bulk_action(tx, self.people[who], wanted)
        changed = []
        for which, outcome in enumerate(done.outcomes):
            then = self.after(who, which, status, private)
            assert (outcome.problem is None) == (then is not None)
            if then is not None and then != self.now[who][which]:
                changed.append(which)
                self.becomes(who, which, then)
        assert done.changed_count == len(changed)
        if changed:
            self.deed[who] = (done.undo_id, changed)
            self.last[who] = ("batch", before)

    @rule(who=WHO)
    def undo_all(self, who):
        if self.last[who] is None or self.last[who][0] != "batch":
            return
        (deed, changed), before = self.deed[who], self.last[who][1]
        with self.database.write() as tx:
            back = undo_bulk_action(tx, self.people[who], deed)
        assert (back.papers, back.unchanged) == ([self.papers[which] for which in changed], {})
        for which in changed:
            self.back(who, which)
        assert self.line(who) == before

    @rule(who=WHO, which=WHICH)
    def undo(self, who, which):
        if not self.undo_to[who][which]:
            self.refused(lambda tx: commands.undo_reading(tx, self.people[who], self.papers[which]), Conflict)
            return
        last = self.last[who]
        with self.database.write() as tx:
            commands.undo_reading(tx, self.people[who], self.papers[which])
        self.back(who, which)
        if last and last[0] == which:
            assert self.line(who) == last[1]

    def after(self, who, which, status, private):
        """What a status makes of a reading; None when it is refused."""
        now = self.now[who][which]
        before = now["status"] if now else None
        if status != before and status not in TRANSITIONS[before]:
            return None
        again = before == "read" and status == "reading"
        earlier = now["recommendation"] if again else now["earlier"] if now else ""
        return {
            "status": status,
            "private": bool(now and now["private"]) if private is None else private,
            "pass": (now["pass"] if now else 1) + again,
            "recommendation": now["recommendation"] if now and before == status else "",
            "priority": now["priority"] if now and status == "to_read" else 0,
            "earlier": earlier,
        }

    def say_of(self, who, which, said, *, only):
        """Something that only one status has."""
        now = self.now[who][which]
        if now is None or (now["status"] != only and any(said.values())):
            self.refused(lambda tx: self.set(tx, who, which, said), Conflict if now is None else Invalid)
            return
        with self.database.write() as tx:
            self.set(tx, who, which, said)
        if now["status"] == only:
            self.becomes(who, which, {**now, **said})

    def moved(self, who, which, move, how, other=None):
        paper_id, now = self.papers[which], self.now[who][which]
        beside_it = now if other is None else self.now[who][other]
        if not (now and beside_it and now["status"] == beside_it["status"] == "to_read"):
            self.refused(lambda tx: commands.move_reading(tx, self.people[who], paper_id, move), Conflict)
            return
        before, here = self.line(who), self.queues[who]
        with self.database.write() as tx:
            _, moved = commands.move_reading(tx, self.people[who], paper_id, move)
        if other == which:
            assert not moved
            return
        there = how(here[beside_it["priority"]], paper_id)
        assert moved == (there != here[now["priority"]])
        if moved:
            here[now["priority"]].remove(paper_id)
            here[beside_it["priority"]] = there
            self.undo_to[who][which], self.last[who] = [now], (which, before)
            self.now[who][which] = {**now, "priority": beside_it["priority"]}

    def set(self, tx, who, which, said):
        commands.set_reading(tx, self.people[who], self.papers[which], ReadingUpdate.model_validate(said))

    def becomes(self, who, which, state):
        now, before, here = self.now[who][which], [*self.model_line(who)], self.queues[who]
        if state == now:
            return  # said again, it is no change
        self.undo_to[who][which], self.last[who], self.now[who][which] = [now], (which, before), state
        was = now["priority"] if now and now["status"] == "to_read" else None
        then = state["priority"] if state and state["status"] == "to_read" else None
        if was != then:
            if was is not None:
                here[was].remove(self.papers[which])
            if then is not None:
                here[then].append(self.papers[which])

    def back(self, who, which):
        """As it was; its place is asked of the queue itself, as others may have moved meanwhile."""
        self.now[who][which], self.undo_to[who][which], self.last[who] = self.undo_to[who][which][0], [], None
        of = {self.papers[n]: s["priority"] for n, s in enumerate(self.now[who]) if s and s["status"] == "to_read"}
        line = self.line(who)
        self.queues[who] = {level: [one for one in line if of.get(one) == level] for level in (1, 0, -1)}

    def refused(self, change, error):
        try:
            with self.database.write() as tx:
                change(tx)
        except error:
            return
        raise AssertionError(self.now)

    def line(self, who):
        with self.database.read() as tx:
            return [line.paper.id for line in reading_queue.page_queue(tx, self.people[who], PageRequest()).items]

    def model_line(self, who):
        return [one for level in (1, 0, -1) for one in self.queues[who][level]]

    @invariant()
    def both_are_as_they_left_it(self):
        names = ("status", "private", "recommendation", "priority")
        for who, me in enumerate(self.people):
            mine = (col(Reading.person_id) == me.id, col(Reading.paper_id).in_(self.papers), col(Reading.current))
            with self.database.read() as tx:
                rows = tx.scalars(sa.select(Reading).where(*mine)).all()
                found = {r.paper_id: {n: getattr(r, n) for n in names} | {"pass": r.pass_number} for r in rows}
            left = {paper_id: state for paper_id, state in zip(self.papers, self.now[who], strict=True) if state}
            assert found == {id_: {n: state[n] for n in (*names, "pass")} for id_, state in left.items()}
            assert self.line(who) == self.model_line(who)

    @invariant()
    def each_sees_of_the_other_what_is_shared(self):
        for who, me in enumerate(self.people):
            with self.database.read() as tx:
                teams = queries.list_team_readings(tx, me, self.papers)
                said = [self.recommended(tx, me, paper_id) for paper_id in self.papers]
            for which, paper_id in enumerate(self.papers):
                both = [(p, self.now[p][which]) for p in (0, 1)]
                seen = [(p, s) for p, s in both if s and (p == who or not s["private"])]
                standing = {p: s["recommendation"] if s["status"] == "read" else s["earlier"] for p, s in seen}
                expected = {(self.people[p].name, word) for p, word in standing.items() if word}
                assert {(name, word) for word, names in said[which].items() for name in names} == expected
                team = teams.get(paper_id, queries.TeamReadings())
                others = [s["status"] for p, s in seen if p != who]
                assert (team.reading, team.to_read) == (others.count("reading"), others.count("to_read"))
                assert team.must_read == sum(word == "must_read" for _, word in expected)

    def recommended(self, tx, me, paper_id):
        return queries.group_recommendations(
            queries.list_readings(tx, me, paper_id), queries.list_earlier(tx, me, paper_id)
        )

    @invariant()
    def history_only_grows_and_ends_in_what_stands_there(self):
        here = sa.select(ReadingEvent).where(col(ReadingEvent.paper_id).in_(self.papers)).order_by(col(ReadingEvent.id))
        with self.database.read() as tx:
            told = [(e.id, e.verb, e.person_id, e.paper_id, e.after) for e in tx.scalars(here)]
        assert told[: len(self.told)] == self.told
        self.told = told
        ends = {(person_id, paper_id): after for *_, person_id, paper_id, after in told}
        for who, me in enumerate(self.people):
            for paper_id, state in zip(self.papers, self.now[who], strict=True):
                last = ends.get((me.id, paper_id))
                names = ("status", "private", "pass", "recommendation", "priority")
                assert {n: last[n] for n in names} == {n: state[n] for n in names} if last and state else last is state


@pytest.mark.deep
def test_readings_of_two_people_are_independent_and_match_their_events(database, dialect):
    machine = type("Library", (Readers,), {"database": database})
    few = 12 if dialect == "sqlite" else 4  # what is decided here is the same there
    run_state_machine_as_test(machine, settings=settings(max_examples=examples(few), stateful_step_count=20))
