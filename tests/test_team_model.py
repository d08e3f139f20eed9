"""A team at work in any order, against a plain model: talk, assignments, private readings and texts, papers that are
merged and taken apart, people who are shut out. What anybody sees is what they may see, and nothing is lost.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from typing import Any

import hypothesis.strategies as st
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Database, Read
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Assignment, Merge, Notification
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.merge import merge_papers, unmerge
from readtrack.reading.readings.commands import set_reading
from readtrack.reading.readings.queries import list_readers
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.reading.summaries.queries import find_my_summary
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.queries import find_visitor_by_sign_in, get_person
from readtrack.team.activity.queries import EventFilter, list_activity
from readtrack.team.assignments import commands as assignments
from readtrack.team.assignments.commands import AssignmentAnswer, AssignmentCreate
from readtrack.team.assignments.queries import AssignmentFilter, list_assignments
from readtrack.team.discussion import commands as talk
from readtrack.team.discussion.commands import CommentCreate
from readtrack.team.discussion.queries import get_discussion
from readtrack.team.discussion.targets import get_target
from readtrack.team.notifications.queries import NotificationFilter, list_notifications
from tests import make
from tests.databases import Server
from tests.depth import DEEP, examples

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # thousands of transactions
PEOPLE, PAPERS, ALL = range(3), range(4), PageRequest(limit=200)
WORD = re.compile(r"w\d+")
person, other, paper, some = (
    st.sampled_from(PEOPLE),
    st.sampled_from(PEOPLE),
    st.sampled_from(PAPERS),
    st.integers(0, 99),
)


class Team(RuleBasedStateMachine):
    """The model knows of each paper what it is part of, of each word where it stands, of each person what is theirs."""

    server: Server

    @initialize()
    def open_library(self) -> None:
        self.url = self.server.copy()
        self.database, self.words = Database(self.url), count(1)
        self.into: dict[int, int] = {}  # paper -> the one that it is part of
        self.merges: dict[int, tuple[int, int]] = {}  # in force
        self.threads: list[tuple[int, int]] = []  # first comment, the paper where it was begun
        self.said: dict[int, dict[str, int]] = defaultdict(dict)  # thread -> words, and by whom
        self.written: dict[str, int] = {}  # word of a comment -> its number
        self.hidden: set[str] = set()  # words that only who said them still reads
        self.read: dict[tuple[int, int], bool] = {}  # person and paper of a finished pass -> private
        self.texts: dict[tuple[int, int], bool] = {}  # person and paper of a text -> private
        self.shut_out: set[int] = set()
        with self.database.write() as tx:
            search.ensure(tx)
            self.people = [make.visitor(tx, f"P{number}") for number in PEOPLE]
            self.admin = make.visitor(tx, "Admin", role="admin")
            self.papers = [make.paper(tx).id for _ in PAPERS]
        self.sessions = [self.come_in(me) for me in self.people]

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.dispose()
            self.server.drop(self.url)

    def do(self, verb: Callable[..., Any], *given: Any, **named: Any) -> Any:
        with self.database.write() as tx:
            return verb(tx, *given, **named)

    def come_in(self, me: CurrentUser) -> str:
        with self.database.write() as tx:
            return people.sign_in_new(tx, get_person(tx, me.id), agent="a test")[1]

    def root(self, paper_id: int) -> int:
        while paper_id in self.into:
            paper_id = self.into[paper_id]
        return paper_id

    @property
    def present(self) -> list[int]:
        return [paper_id for paper_id in self.papers if paper_id not in self.into]

    def parts(self, paper_id: int) -> list[int]:
        """The papers that it is made of, itself too."""
        return [part for part in self.papers if self.root(part) == paper_id]

    def here(self, number: int) -> int:
        return self.root(self.papers[number])

    # What people do

    @rule(who=person, number=paper)
    def begin(self, who: int, number: int) -> None:
        word, paper_id = f"w{next(self.words)}", self.here(number)
        first = self.say(who, paper_id, word)
        self.threads.append((first, paper_id))
        self.said[first][word] = who

    @precondition(lambda self: self.threads)
    @rule(who=person, place=some)
    def answer(self, who: int, place: int) -> None:
        first, home = self.threads[place % len(self.threads)]
        word = f"w{next(self.words)}"
        try:
            self.say(who, self.root(home), word, parent=first)
        except NotFound:  # an admin hid what began it
            return
        self.said[first][word] = who

    def say(self, who: int, paper_id: int, word: str, parent: int | None = None) -> int:
        with self.database.write() as tx:
            subject = get_target(tx, "paper", paper_id)
            made = talk.add_comment(tx, self.people[who], subject, CommentCreate(markdown=f"@P0 {word}", parent=parent))
        self.written[word] = made.id or 0
        return made.id or 0

    @precondition(lambda self: self.written)
    @rule(place=some)
    def hide(self, place: int) -> None:
        word = sorted(self.written)[place % len(self.written)]
        try:
            self.do(talk.hide_comment, self.admin, self.written[word])
        except (Conflict, NotFound):
            return
        self.hidden.add(word)

    @rule(who=person, whom=person, number=paper)
    def ask(self, who: int, whom: int, number: int) -> None:
        wanted = AssignmentCreate(paper=self.here(number), person=self.people[whom].id)
        try:
            self.do(assignments.make_assignment, self.people[who], wanted)
        except Conflict:  # they are asked already
            return
        except Invalid:
            assert whom in self.shut_out

    @rule(who=person, accept=st.booleans(), place=some)
    def decide(self, who: int, place: int, *, accept: bool) -> None:
        mine = [row for row in self.asked(self.people[who]) if row.person_id == self.people[who].id]
        if not mine:
            return
        said = AssignmentAnswer(answer="accept" if accept else "decline")
        try:
            self.do(assignments.answer_assignment, self.people[who], mine[place % len(mine)].id, said)
        except Conflict:  # they are asked anew meanwhile
            return

    @rule(who=person, number=paper, private=st.booleans())
    def finish(self, who: int, number: int, *, private: bool) -> None:
        paper_id, me = self.here(number), self.people[who]
        self.do(set_reading, me, paper_id, ReadingUpdate(status="reading"))
        self.do(set_reading, me, paper_id, ReadingUpdate(status="read", private=private))
        for part in self.parts(paper_id):
            if (who, part) in self.read:
                self.read[who, part] = private
        self.read[who, paper_id] = private

    @rule(who=person, number=paper, private=st.booleans())
    def write(self, who: int, number: int, *, private: bool) -> None:
        paper_id, me = self.here(number), self.people[who]
        with self.database.write() as tx:
            mine = find_my_summary(tx, me, paper_id)
            edit = SummaryUpdate(markdown="For @P0, @P1 and @P2.", private=private)
            edit_summary(tx, me, paper_id, edit, version=mine.version if mine else None)

    # What editors and admins do

    @rule(one=paper, number=paper)
    def merge(self, one: int, number: int) -> None:
        from_id, into_id = self.here(one), self.here(number)
        if from_id == into_id:
            return
        self.do(merge_papers, self.admin, from_id, into_id=into_id)
        with self.database.read() as tx:
            merge_id = tx.scalar(sa.select(sa.func.max(col(Merge.id)))) or 0
        self.merges[merge_id], self.into[from_id] = (from_id, into_id), into_id

    @precondition(lambda self: self.merges)
    @rule(place=some)
    def take_apart(self, place: int) -> None:
        open_ones = [merge_id for merge_id, (_, into_id) in self.merges.items() if into_id not in self.into]
        merge_id = open_ones[place % len(open_ones)]
        self.do(unmerge, self.admin, merge_id)
        del self.into[self.merges.pop(merge_id)[0]]

    @rule(who=person)
    def shut_out_or_let_in(self, who: int) -> None:
        me = self.people[who]
        if who in self.shut_out:
            self.do(people.enable_person, self.admin, me.id)
            self.sessions[who] = self.come_in(me)
        else:
            self.do(people.disable_person, self.admin, me.id)
        self.shut_out ^= {who}

    # What must hold

    @invariant()
    def every_word_is_where_its_thread_is(self) -> None:
        for who, me in enumerate(self.people):
            expected: dict[int, set[str]] = defaultdict(set)
            for first, home in self.threads:
                readable = {word for word, by in self.said[first].items() if by == who or word not in self.hidden}
                expected[self.root(home)] |= readable
            with self.database.read() as tx:
                for paper_id in self.present:
                    assert self.heard(tx, me, paper_id) == expected[paper_id]

    @invariant()
    def nobody_is_asked_twice_and_every_key_is_right(self) -> None:
        with self.database.read() as tx:
            rows = tx.scalars(sa.select(Assignment)).all()
            open_ones = [row for row in rows if row.state in {"proposed", "accepted"}]
            keys = [row.open_key for row in open_ones]
            assert keys == [f"{row.person_id}:{row.paper_id}" for row in open_ones]
            assert len(keys) == len({*keys})
            assert {row.open_key for row in rows if row not in open_ones} <= {None}

    @invariant()
    def what_is_private_is_known_to_its_owner_alone(self) -> None:
        for who, me in enumerate(self.people):
            with self.database.read() as tx:
                for paper_id, names in list_readers(tx, me, self.present).items():
                    hidden = {self.people[one].name for one in PEOPLE if one != who and self.keeps(one, paper_id)}
                    assert not hidden & {*names}, paper_id
                for row in self.asked(me):
                    reader = next(one for one in PEOPLE if self.people[one].id == row.person_id)
                    assert not (row.done and reader != who and self.keeps(reader, row.paper_id))
                for event in list_activity(tx, me, EventFilter(), ALL).items:
                    if event.verb.startswith("reading.") and event.person_id != me.id and event.paper_id:
                        reader = next(one for one in PEOPLE if self.people[one].id == event.person_id)
                        assert not self.keeps(reader, event.paper_id)

    @invariant()
    def no_notice_tells_of_a_private_text(self) -> None:
        for me in self.people:
            with self.database.read() as tx:
                shown = {row.id for row in list_notifications(tx, me, NotificationFilter(state="all"), ALL).items}
                told = tx.scalars(sa.select(Notification).where(col(Notification.id).in_(shown))).all()
                for text_id in {row.summary_id for row in told} - {None}:
                    assert not tx.scalar(sa.text("SELECT private FROM summary WHERE id = :id"), {"id": text_id})

    @invariant()
    def a_session_is_good_while_its_person_is(self) -> None:
        with self.database.read() as tx:
            for who in PEOPLE:
                assert (find_visitor_by_sign_in(tx, self.sessions[who]) is None) == (who in self.shut_out)

    # How it is

    def heard(self, tx: Read, me: CurrentUser, paper_id: int) -> set[str]:
        threads = get_discussion(tx, me, get_target(tx, "paper", paper_id), ALL).threads
        posts = [post for thread in threads for post in (thread.root, *thread.replies)]
        return {word for post in posts for word in WORD.findall(post.markdown)}

    def asked(self, me: CurrentUser) -> list[Any]:
        with self.database.read() as tx:
            return [
                row
                for which in ("open", "done", "declined")
                for row in list_assignments(tx, me, AssignmentFilter(which=which), ALL).items
            ]

    def keeps(self, who: int, paper_id: int) -> bool:
        """Whether they keep all they read of it private. What they shared of one part stays shared when merged."""
        private = [self.read[who, part] for part in self.parts(paper_id) if (who, part) in self.read]
        return bool(private) and all(private)


@pytest.mark.deep
def test_a_team_sees_only_what_it_may_and_loses_nothing(dialect, server):
    machine = type("Team", (Team,), {"server": server})
    few, steps = 8 if dialect == "sqlite" else 3, 18 if DEEP else 14  # each makes a database
    quick = settings(max_examples=examples(few), stateful_step_count=steps, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=quick)
