"""Merging and taking apart in any order, against a plain model: nothing of anybody's is lost, nor seen by others."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
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
from readtrack.infra import permissions
from readtrack.infra.db import Database, Read
from readtrack.infra.errors import Conflict, Invalid
from readtrack.infra.models import Merge, PaperTopic, Reading
from readtrack.infra.pagination import PageRequest
from readtrack.library.duplicates.merge import merge_papers, unmerge
from readtrack.library.duplicates.merge_readings import FURTHER
from readtrack.library.papers import lookup
from readtrack.library.papers.commands import add_paper
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.metadata.types import Ref
from readtrack.reading.readings.commands import ReadingUpdate, set_reading, undo_reading
from readtrack.reading.readings.queries import find_my_reading, list_readers, list_readings
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from readtrack.reading.summaries.queries import find_my_summary, list_summaries, list_versions
from tests import make
from tests.databases import Server
from tests.depth import examples

pytestmark = pytest.mark.slow
PEOPLE, TOPICS, MOST_PAPERS = range(3), ("storage", "networks"), 6
TOKEN = re.compile(r"t\d+")
person, some = st.sampled_from(PEOPLE), st.integers(0, 1000)
Shown = dict[tuple[int, int], frozenset[str]]  # person and paper -> words of the text


class Library(RuleBasedStateMachine):
    """People read, write, file and merge. The model knows where everything began, and whither it should have gone."""

    server: Server

    @initialize()
    def open_library(self) -> None:
        self.url = self.server.copy()
        self.database, self.words = Database(self.url), count(1)
        self.papers: list[int] = []
        self.into: dict[int, int] = {}  # paper -> the one that it is part of
        self.merges: dict[int, tuple[int, int]] = {}  # in force
        self.undone: list[int] = []
        self.home: dict[int, int] = {}  # reading -> the paper where it was begun
        self.status: dict[int, str] = {}
        self.secret_readings: set[int] = set()
        self.alive: dict[int, set[str]] = defaultdict(set)  # words that their author has neither replaced nor deleted
        self.secret_words: set[str] = set()
        self.before: dict[int, dict[str, Any]] = {}  # merge -> how both papers were
        with self.database.write() as tx:
            search.ensure(tx)
            self.people = [make.visitor(tx) for _ in PEOPLE]
            self.editor = make.visitor(tx, role="editor")
            for name in TOPICS:
                make.topic(tx, name)
        for _ in range(3):
            self.add()

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.dispose()
            self.server.drop(self.url)

    def root(self, paper_id: int) -> int:
        while paper_id in self.into:
            paper_id = self.into[paper_id]
        return paper_id

    @property
    def present(self) -> list[int]:
        return [paper_id for paper_id in self.papers if paper_id not in self.into]

    def pick(self, place: int) -> int:
        return self.present[place % len(self.present)]

    def do(self, verb: Callable[..., Any], *given: Any, **named: Any) -> Any:
        with self.database.write() as tx:
            return verb(tx, *given, **named)

    # What people do

    @precondition(lambda self: len(self.papers) < MOST_PAPERS)
    @rule()
    def add(self) -> None:
        ref = Ref("arxiv", f"2401.{len(self.papers) + 1:05}")
        self.papers.append(self.do(add_paper, self.editor, ref, title=f"On Work {len(self.papers) + 1}")[0])

    @rule(who=person, place=some, status=st.sampled_from(FURTHER), private=st.sampled_from([None, None, True, False]))
    def read(self, who: int, place: int, status: str, *, private: bool | None) -> None:
        paper_id, me = self.pick(place), self.people[who]
        said = {"status": status} if private is None else {"status": status, "private": private}
        with self.database.read() as tx:
            present = find_my_reading(tx, me, paper_id)
        was_private = present is not None and present.private
        try:
            reading, _ = self.do(set_reading, me, paper_id, ReadingUpdate(**said))
        except Conflict:  # no such transition
            return
        here = {row for row, home in self.home.items() if self.root(home) == paper_id and self.owner[row] == who}
        self.home.setdefault(reading.id, paper_id)
        self.status[reading.id] = reading.status
        if private is True:
            self.secret_readings |= {*here, reading.id}
        elif private is False and was_private:
            self.secret_readings -= {*here, reading.id}
        elif was_private:
            self.secret_readings.add(reading.id)
        self.note_change(paper_id, who, "readings")

    @rule(who=person, place=some)
    def take_back(self, who: int, place: int) -> None:
        """Undo may make or unmake a pass, but only what was done since the last merge."""
        paper_id, me = self.pick(place), self.people[who]
        mine = {row.id: row for row in self.readings() if row.person_id == me.id}
        try:
            self.do(undo_reading, me, paper_id)
        except Conflict:
            return
        after = {row.id: row for row in self.readings() if row.person_id == me.id}
        for gone in mine.keys() - after.keys():
            assert mine[gone].paper_id == paper_id
            del self.home[gone], self.status[gone]
            self.secret_readings.discard(gone)
        for row_id, row in after.items():
            self.home.setdefault(row_id, paper_id)
            self.status[row_id] = row.status
            if row.paper_id == paper_id:  # what is private now stays so, what was made public was so by their will
                (self.secret_readings.add if row.private else self.secret_readings.discard)(row_id)
        self.note_change(paper_id, who, "readings")

    @rule(who=person, place=some, private=st.booleans())
    def write(self, who: int, place: int, *, private: bool) -> None:
        paper_id, me, word = self.pick(place), self.people[who], f"t{next(self.words)}"
        with self.database.write() as tx:
            mine = find_my_summary(tx, me, paper_id)
            edit = SummaryUpdate(markdown=f"Text {word}.", private=private)
            edit_summary(tx, me, paper_id, edit, version=mine.version if mine else None)
        replaced = set(TOKEN.findall(mine.markdown)) if mine else set()
        self.alive[who] = (self.alive[who] - replaced) | {word}
        if private:
            self.secret_words.add(word)
        self.note_change(paper_id, who, "words")

    @rule(who=person, place=some)
    def put_away(self, who: int, place: int) -> None:
        paper_id, me = self.pick(place), self.people[who]
        with self.database.write() as tx:
            mine = find_my_summary(tx, me, paper_id)
            if mine is None:
                return
            delete_summary(tx, me, paper_id)
        self.alive[who] -= set(TOKEN.findall(mine.markdown))
        self.note_change(paper_id, who, "words")

    @rule(place=some, topic=st.sampled_from(TOPICS), filed=st.booleans())
    def file(self, place: int, topic: str, *, filed: bool) -> None:
        paper_id = self.pick(place)
        self.do(link_topic if filed else unlink_topic, self.editor, paper_id, topic)
        self.note_change(paper_id, None, "topics")

    # What editors do

    @rule(one=some, other=some)
    def merge(self, one: int, other: int) -> None:
        from_id, into_id = (self.papers[place % len(self.papers)] for place in (one, other))
        if from_id == into_id or not {from_id, into_id} <= set(self.present):
            with pytest.raises((Invalid, Conflict)):
                self.do(merge_papers, self.editor, from_id, into_id=into_id)
            return
        before = {"from": self.state(from_id), "into": self.state(into_id), "changed": set()}
        self.do(merge_papers, self.editor, from_id, into_id=into_id)
        with self.database.read() as tx:
            merge_id = tx.scalar(sa.select(sa.func.max(col(Merge.id)))) or 0
        for told in self.before.values():
            told["changed"].add("merges")
        self.before[merge_id], self.merges[merge_id] = before, (from_id, into_id)
        self.into[from_id] = into_id
        self.check_furthest(before, into_id)
        assert search_is_right(self.database)

    @precondition(lambda self: self.merges)
    @rule(place=some)
    def take_apart(self, place: int) -> None:
        merge_id = sorted([*self.merges, *self.undone])[place % (len(self.merges) + len(self.undone))]
        if merge_id in self.undone or self.merges[merge_id][1] in self.into:
            with pytest.raises(Conflict):
                self.do(unmerge, self.editor, merge_id)
            return
        from_id, into_id = self.merges.pop(merge_id)
        self.do(unmerge, self.editor, merge_id)
        self.undone.append(merge_id)
        del self.into[from_id]
        before = self.before.pop(merge_id)
        self.check_given_back(before, from_id, into_id)
        assert search_is_right(self.database)
        for told in self.before.values():
            told["changed"].add("merges")

    # What must hold

    def check_furthest(self, before: dict[str, Any], into_id: int) -> None:
        """Where nothing is shared, of all; else of what is shared, as if nothing else were there."""
        for who, status in self.state(into_id)["present"].items():
            sides = [before[side]["last"].get(who, {}) for side in ("from", "into")]
            shared = [side[False] for side in sides if False in side]
            assert status == max(shared or [side[True] for side in sides if True in side], key=FURTHER.index)

    def check_given_back(self, before: dict[str, Any], from_id: int, into_id: int) -> None:
        """Whoever changed nothing since has all as it was."""
        changed, back, kept = before["changed"], self.state(from_id), self.state(into_id)
        for who in PEOPLE:
            for name in ("readings", "words"):
                if (who, name) in changed:
                    continue
                assert back[name].get(who) == before["from"][name].get(who)
                if "merges" not in changed:
                    assert kept[name].get(who) == before["into"][name].get(who)
        assert back["topics"] == before["from"]["topics"]
        if not changed & {"merges", (None, "topics")}:
            assert kept["topics"] == before["into"]["topics"]

    @invariant()
    def everything_is_where_it_should_be(self) -> None:
        with self.database.read() as tx:
            for number, paper_id in enumerate(self.papers, start=1):
                root = self.root(paper_id)
                assert lookup.find_by_ref(tx, Ref("arxiv", f"2401.{number:05}")) == root
                assert permissions.find_surviving_paper(tx, paper_id) == (None if root == paper_id else root)

    @invariant()
    def nobodys_pass_is_lost(self) -> None:
        rows = self.readings()
        assert {row.id: row.status for row in rows} == self.status
        assert {row.id: row.paper_id for row in rows} == {row: self.root(home) for row, home in self.home.items()}
        for passes in grouped(rows):
            beside = [row for row in passes if row.pass_number < 1]
            counted = passes[len(beside) :]
            assert [row.pass_number for row in passes] == list(range(1 - len(beside), len(counted) + 1))
            assert [row.current for row in passes if row.current] == [row.current for row in counted[-1:]]
            assert len({row.private for row in counted}) <= 1
            assert all(row.private for row in beside) or not any(row.private for row in passes)
        assert all(row.private for row in rows if row.id in self.secret_readings)

    @invariant()
    def nobodys_text_is_lost_and_nothing_private_is_seen(self) -> None:
        for who, me in enumerate(self.people):
            with self.database.read() as tx:
                mine, others = self.words_for(tx, who)
                assert self.alive[who] <= mine
                assert not others & self.secret_words
                for reading in (row for paper_id in self.present for row in list_readings(tx, me, paper_id)):
                    assert reading.person_id == me.id or reading.id not in self.secret_readings
                assert set(list_readers(tx, me, self.papers)) <= set(self.present)

    # How it is

    def words_for(self, tx: Read, who: int) -> tuple[set[str], set[str]]:
        """My own words in my present texts, and others' words that I can read anywhere."""
        mine, others, me = set[str](), set[str](), self.people[who]
        for paper_id in self.present:
            for row in list_summaries(tx, me, paper_id):
                if row.person_id == me.id:
                    mine |= set(TOKEN.findall(row.markdown))
                    continue
                for version in list_versions(tx, me, row.id, PageRequest()).items:
                    others |= set(TOKEN.findall(version.markdown))
        return mine, others

    def readings(self) -> list[Any]:
        with self.database.read() as tx:
            order = (col(Reading.person_id), col(Reading.paper_id), col(Reading.pass_number))
            rows = list(tx.scalars(sa.select(Reading).order_by(*order)))
            tx.expunge_all()
        return rows

    @property
    def owner(self) -> dict[int, int]:
        number = {me.id: who for who, me in enumerate(self.people)}
        return {row.id: number[row.person_id] for row in self.readings()}

    def state(self, paper_id: int) -> dict[str, Any]:
        """What there is on a paper: by person, the passes with their order and privacy, and the words of the text."""
        number = {me.id: who for who, me in enumerate(self.people)}
        passes: dict[int, list[tuple[int, str]]] = defaultdict(list)
        last: dict[int, dict[bool, str]] = defaultdict(dict)
        present: dict[int, str] = {}
        for row in self.readings():
            if row.paper_id == paper_id:
                passes[number[row.person_id]].append((row.id, row.status))
                last[number[row.person_id]][row.private] = row.status
                present |= {number[row.person_id]: row.status} if row.current else {}
        with self.database.read() as tx:
            texts = {who: find_my_summary(tx, me, paper_id) for who, me in enumerate(self.people)}
            filed = tx.scalars(sa.select(col(PaperTopic.topic_id)).where(col(PaperTopic.paper_id) == paper_id))
            topics = set(filed)
        return {
            "readings": dict(passes),
            "present": present,
            "last": dict(last),
            "words": {who: set(TOKEN.findall(row.markdown)) for who, row in texts.items() if row},
            "topics": topics,
        }

    def note_change(self, paper_id: int, who: int | None, name: str) -> None:
        """Told to all merges that this paper is made of."""
        for merge_id, (_, into_id) in self.merges.items():
            if self.root(into_id) == paper_id:
                self.before[merge_id]["changed"].add((who, name))


def search_is_right(database: Database) -> bool:
    with database.read() as tx:
        return search.check(tx) == []


def grouped(rows: list[Any]) -> Iterator[list[Any]]:
    by_place: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for row in rows:
        by_place[row.person_id, row.paper_id].append(row)
    yield from by_place.values()


def test_merges_lose_nothing_and_reveal_nothing_private(sqlite_files):
    class Here(Library):
        server = sqlite_files

    few = settings(
        max_examples=examples(6), stateful_step_count=25, suppress_health_check=list(HealthCheck), deadline=None
    )
    run_state_machine_as_test(Here, settings=few)
