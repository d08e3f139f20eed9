"""Acts on many papers and their undoing in any order, against a plain model: each paper is as the model says, whoever
undoes something learns which papers stay, and what somebody changed since is never touched.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

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
from readtrack.infra.db import Database
from readtrack.infra.errors import Conflict
from readtrack.infra.models import Paper, PaperTopic, Reading
from readtrack.library.papers.commands import delete_paper, restore_paper
from readtrack.library.topics.commands import link_topic, unlink_topic
from readtrack.reading.readings.status_transitions import can_follow
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import BulkResult, run_bulk_action
from readtrack.workspace.bulk_actions.undo import UndoResult, undo_bulk_action
from tests import make
from tests.databases import Server
from tests.depth import examples

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # thousands of transactions
PAPERS, NOBODY = range(4), 4711
some = st.lists(st.sampled_from([*PAPERS, NOBODY]), min_size=1, max_size=4, unique=True)
one, topic = st.sampled_from(PAPERS), st.sampled_from(["a", "b"])


@dataclass
class Known:
    """What the model knows of a paper. `filed`: by topic, which filing it is; `last`: what changed the reading last."""

    deleted: bool = False
    version: int = 0
    status: str | None = None
    last: int | None = None
    filed: dict[str, int] = field(default_factory=dict)


class Remembered(NamedTuple):
    """A deed: what it did to each paper, as what takes it back from the model, if nothing came in between."""

    number: int
    undo: Sequence[tuple[int, Callable[[], bool]]]


class Many(RuleBasedStateMachine):
    """One editor acts on many papers, another on single ones."""

    server: Server

    @initialize()
    def open_library(self) -> None:
        self.url = self.server.copy()
        self.database, self.stamps = Database(self.url), count(1)
        self.known = [Known() for _ in PAPERS]
        self.deeds: list[Remembered] = []
        self.undone: set[int] = set()
        with self.database.write() as tx:
            search.ensure(tx)
            self.me, self.other = (make.visitor(tx, name, role="editor") for name in ("Eve", "Edith"))
            self.papers = [make.paper(tx).id for _ in PAPERS]
            self.topics = {make.topic(tx, name).id: name for name in ("a", "b")}
            search.rebuild(tx)

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.dispose()
            self.server.drop(self.url)

    # What the editor does to many

    @rule(papers=some, to=st.sampled_from(["to_read", "reading", "paused"]))
    def read(self, papers: list[int], to: str) -> None:
        done = self.act(papers, act="reading", reading={"status": to})
        self.expect(done, papers, lambda paper: self.say(paper, to, done))

    @rule(papers=some)
    def take_off(self, papers: list[int]) -> None:
        done = self.act(papers, act="off")
        self.expect(done, papers, lambda paper: self.say(paper, None, done))

    @rule(papers=some, into=topic, out=topic)
    def file(self, papers: list[int], into: str, out: str) -> None:
        done = self.act(papers, act="topics", topics={"add": [into], "remove": [out] if out != into else []})
        self.expect(done, papers, lambda paper: self.refile(paper, into, out if out != into else ""))

    @rule(papers=some, act=st.sampled_from(["delete", "restore"]))
    def throw(self, papers: list[int], act: str) -> None:
        done = self.act(papers, act=act)
        self.expect(done, papers, lambda paper: self.turn(paper, deleted=act == "delete"))

    @precondition(lambda self: self.deeds)
    @rule(which=st.integers(0, 99))
    def undo(self, which: int) -> None:
        deed = self.deeds[-1 - which % len(self.deeds)]
        undo = [] if deed.number in self.undone else [(paper, back()) for paper, back in deed.undo]
        stay = {paper for paper, undone in undo if not undone}
        if not any(undone for _, undone in undo):
            with self.database.write() as tx, pytest.raises(Conflict):
                undo_bulk_action(tx, self.me, deed.number)
            return
        back: UndoResult = self.do(undo_bulk_action, self.me, deed.number)
        assert {*back.unchanged} == {self.papers[paper] for paper in stay}
        assert {*back.papers} == {self.papers[paper] for paper, _ in undo if paper not in stay}
        self.undone.add(deed.number)

    # What the other one does meanwhile

    @rule(paper=one, name=topic)
    def refile_one(self, paper: int, name: str) -> None:
        known = self.known[paper]
        if known.deleted:
            return
        verb = unlink_topic if name in known.filed else link_topic
        self.do(verb, self.other, self.papers[paper], name)
        self.refile(paper, *(("", name) if name in known.filed else (name, "")))

    @rule(paper=one)
    def throw_one(self, paper: int) -> None:
        gone = self.known[paper].deleted
        self.do(restore_paper if gone else delete_paper, self.other, self.papers[paper])
        self.turn(paper, deleted=not gone)

    @invariant()
    def everything_is_as_it_should_be(self) -> None:
        if not hasattr(self, "papers"):
            return
        with self.database.read() as tx:
            gone = dict(tx.execute(sa.select(col(Paper.id), col(Paper.deleted_at).is_not(None))).all())
            read = dict(tx.execute(sa.select(col(Reading.paper_id), col(Reading.status))).all())
            filed = {*tx.execute(sa.select(col(PaperTopic.paper_id), col(PaperTopic.topic_id)))}
            assert search.check(tx) == []
        for paper_id, known in zip(self.papers, self.known, strict=True):
            topics = {self.topics[topic_id] for filed_id, topic_id in filed if filed_id == paper_id}
            assert (gone[paper_id], read.get(paper_id), topics) == (known.deleted, known.status, {*known.filed})

    # The model: each gives what takes it back, nothing when nothing is another, and raises LookupError when refused

    def say(self, paper: int, to: str | None, done: BulkResult) -> Iterator[Callable[[], bool]]:
        known, before = self.known[paper], self.known[paper].status
        if known.deleted or (before != to and not can_follow(before, to)):
            raise LookupError
        if before != to:
            known.status, known.last = to, done.undo_id
            yield lambda: self.unsay(known, before, done.undo_id)

    def unsay(self, known: Known, before: str | None, deed: int | None) -> bool:
        same = known.last == deed and not known.deleted
        if same:
            known.status, known.last = before, None
        return same

    def refile(self, paper: int, into: str, out: str) -> Iterator[Callable[[], bool]]:
        known = self.known[paper]
        if known.deleted:
            raise LookupError
        undo: list[Callable[[], bool]] = []
        if into and into not in known.filed:
            known.filed[into] = stamp = next(self.stamps)
            undo.append(lambda: not known.deleted and known.filed.get(into) == stamp and bool(known.filed.pop(into)))
        if out in known.filed:
            old = known.filed.pop(out)
            undo.append(lambda: not known.deleted and out not in known.filed and not known.filed.update({out: old}))
        return iter(undo)

    def turn(self, paper: int, *, deleted: bool) -> Iterator[Callable[[], bool]]:
        known = self.known[paper]
        if deleted and known.deleted:
            raise LookupError
        if known.deleted == deleted:
            return iter(())
        known.deleted, known.version = deleted, known.version + 1
        return iter([lambda version=known.version: self.turn_back(known, version)])

    def turn_back(self, known: Known, version: int) -> bool:
        same = known.version == version
        if same:
            known.deleted, known.version = not known.deleted, version + 1
        return same

    # How it is done

    def do(self, verb: Callable[..., Any], *given: Any) -> Any:
        with self.database.write() as tx:
            return verb(tx, *given)

    def act(self, papers: list[int], **said: Any) -> BulkResult:
        ids = [NOBODY if paper == NOBODY else self.papers[paper] for paper in papers]
        done: BulkResult = self.do(run_bulk_action, self.me, BulkRequest(papers=ids, **said))
        return done

    def expect(
        self, done: BulkResult, papers: list[int], change: Callable[[int], Iterator[Callable[[], bool]]]
    ) -> None:
        """Each paper's outcome is the model's, and the deed is kept with what takes it back."""
        undo: list[tuple[int, Callable[[], bool]]] = []
        for paper, outcome in zip(papers, done.outcomes, strict=True):
            try:
                backs = [*change(paper)] if paper != NOBODY else []
            except LookupError:
                assert outcome.problem
                continue
            assert (outcome.problem is not None, outcome.changed) == (paper == NOBODY, bool(backs))
            undo += [(paper, back) for back in backs]
        assert (done.undo_id is None) == (not undo)
        self.deeds += [Remembered(done.undo_id, undo)] if done.undo_id else []


@pytest.mark.deep
def test_bulk_actions_and_their_undo_follow_the_model(dialect, server):
    machine = type("Many", (Many,), {"server": server})
    few = 8 if dialect == "sqlite" else 3  # each makes a database
    quick = settings(max_examples=examples(few), stateful_step_count=20, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=quick)
