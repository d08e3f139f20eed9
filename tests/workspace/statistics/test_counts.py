"""Every figure is what one would count by hand, for one person and for the team, whatever lies in the library."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from statistics import median_low
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack.infra.models import PaperTopic, Reading, ReadingEvent
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.statistics import queries
from readtrack.workspace.statistics.coverage import get_coverage_report
from readtrack.workspace.statistics.figures import DEPTHS
from readtrack.workspace.statistics.periods import SPANS, build_period
from readtrack.workspace.statistics.queries import StatisticsScope
from readtrack.workspace.statistics.view_model import StatisticsOptions, get_statistics
from tests import make
from tests.depth import examples

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # many libraries, one after the other

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)
TODAY = NOW.date()  # everywhere in these zones
ZONES = ("", "Asia/Tokyo", "America/Los_Angeles")
VENUES = (("OSDI", 2024), ("OSDI", 2023), ("NSDI", 2024), ("", 2024), ("OSDI", None), ("", None))
PEOPLE, PAPERS = len(ZONES), len(VENUES)
STATUSES = ("to_read", "reading", "read")
DAYS = st.dates(TODAY - timedelta(days=500), TODAY)
LATELY = st.timedeltas(timedelta(), timedelta(days=500)).map(lambda ago: NOW - ago)
GONE: Sequence[dict[str, Any]] = (
    *({}, {}, {}, {}),
    {"triage": "rejected"},
    {"deleted_at": datetime(2026, 1, 1, tzinfo=UTC)},
)


@dataclass(frozen=True)
class Said:
    """One reading, as it is put into the library."""

    person: int
    paper: int
    number: int
    status: str
    depth: str
    private: bool
    added: date
    ended: date | None
    touched: datetime
    wished: datetime | None

    @property
    def end(self) -> date:
        """The day on which it ended; of what did not, one that never comes."""
        return self.ended or date.max

    def there(self, moment: datetime) -> date:
        """The day of that moment where its reader is."""
        return moment.astimezone(ZoneInfo(ZONES[self.person] or "UTC")).date()


@dataclass(frozen=True)
class World:
    """What is there: readings, which papers are gone, where each is filed, what is discussed and summarised."""

    readings: list[Said]
    gone: list[int]
    filed: list[list[int]]  # topics of each paper; topic 1 lies below topic 0
    summaries: list[tuple[int, int, bool]]
    comments: list[int]
    people: list[int] = field(default_factory=list)
    papers: list[int] = field(default_factory=list)
    topics: list[Any] = field(default_factory=list)


@st.composite
def readings(draw) -> Said:
    status = draw(st.sampled_from(STATUSES))
    added = draw(DAYS)
    return Said(
        person=draw(st.integers(0, PEOPLE - 1)),
        paper=draw(st.integers(0, PAPERS - 1)),
        number=draw(st.integers(1, 2)),
        status=status,
        depth=draw(st.sampled_from(["", "skimmed", "read", "studied"])) if status == "read" else "",
        private=draw(st.booleans()),
        added=added,
        ended=draw(st.none() | DAYS) if status == "read" else None,
        touched=draw(LATELY),
        wished=draw(st.none() | LATELY),
    )


WORLDS = st.builds(
    World,
    readings=st.lists(readings(), max_size=25, unique_by=lambda said: (said.person, said.paper, said.number)),
    gone=st.lists(st.integers(0, len(GONE) - 1), min_size=PAPERS, max_size=PAPERS),
    filed=st.lists(st.lists(st.integers(0, 2), unique=True), min_size=PAPERS, max_size=PAPERS),
    summaries=st.lists(
        st.tuples(st.integers(0, PEOPLE - 1), st.integers(0, PAPERS - 1), st.booleans()),
        unique_by=lambda one: one[:2],
        max_size=4,
    ),
    comments=st.lists(st.integers(0, PAPERS - 1), max_size=4),
)


class _Undone(Exception):
    """Takes back what an example wrote."""


@contextmanager
def existing(database, world: World) -> Iterator[Any]:
    """The world in the database, until the block ends."""
    with suppress(_Undone), database.write() as tx:
        _furnish(tx, world)
        yield tx
        raise _Undone


def _furnish(tx, world: World) -> None:
    world.people.extend(make.person(tx, time_zone=zone).id for zone in ZONES)
    for gone, (venue, year) in zip(world.gone, VENUES, strict=True):
        world.papers.append(make.paper(tx, venue=venue, year=year, **GONE[gone]).id)
    top = make.topic(tx)
    world.topics.extend([top, make.topic(tx, parent_id=top.id), make.topic(tx)])
    for paper, topics in zip(world.papers, world.filed, strict=True):
        for topic in topics:
            make.added(tx, PaperTopic(paper_id=paper, topic_id=world.topics[topic].id))
    for said in world.readings:
        _add(tx, world, said)
    for person, paper, private in world.summaries:
        make.summary(tx, world.people[person], world.papers[paper], private=private)
    for paper in world.comments:
        make.comment(tx, world.people[0], paper_id=world.papers[paper])


def _add(tx, world: World, said: Said) -> None:
    who: dict[str, Any] = {"person_id": world.people[said.person], "paper_id": world.papers[said.paper]}
    told = dict[str, Any](status=said.status, depth=said.depth, private=said.private, finished_on=said.ended)
    when: dict[str, Any] = {"added_on": said.added, "updated_at": said.touched}
    make.added(tx, Reading(**who, pass_number=said.number, **told, **when))
    if said.wished:
        wish = dict[str, Any](verb="set", to_status="to_read", created_at=said.wished)
        make.added(tx, ReadingEvent(**who, pass_number=said.number, **wish))


def counted(world: World, person: int | None, topic: int | None) -> list[Said]:
    """The readings that a figure is about, by hand."""
    within = {None: {0, 1, 2}, 0: {0, 1}, 1: {1}, 2: {2}}[topic]
    return [
        said
        for said in world.readings
        if (not said.private if person is None else said.person == person)
        if not GONE[world.gone[said.paper]]
        if topic is None or within & {*world.filed[said.paper]}
    ]


def scope_of(world: World, person: int | None, topic: int | None) -> StatisticsScope:
    below = {None: None, 0: (0, 1), 1: (1,), 2: (2,)}[topic]
    whose = None if person is None else world.people[person]
    return StatisticsScope(whose, None if below is None else tuple(world.topics[each].id for each in below))


SCOPES = st.tuples(st.none() | st.integers(0, PEOPLE - 1), st.none() | st.integers(0, 2))
THOROUGH = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.deep
@THOROUGH
@given(world=WORLDS, chosen=SCOPES, span=st.sampled_from([*SPANS]))
def test_figures_over_time_equal_an_independent_count(database, world, chosen, span):
    with existing(database, world) as tx:
        mine, scope = counted(world, *chosen), scope_of(world, *chosen)
        read = [said for said in mine if said.status == "read"]
        earliest = queries.find_earliest(tx, scope)
        assert earliest == min(
            [*(said.added for said in mine), *(said.ended for said in read if said.ended)], default=None
        )

        period = build_period(span, TODAY, earliest=earliest)
        ended = [said for said in read if said.ended and period.first <= said.ended <= period.last]
        by_day = Counter((said.ended, said.depth) for said in ended)
        assert {(row.day, row.depth): row.number for row in queries.list_daily_completions(tx, scope, period)} == by_day
        added = Counter(said.added for said in mine if period.first <= said.added <= period.last)
        assert {row.day: row.number for row in queries.list_daily_additions(tx, scope, period)} == added
        assert queries.count_undated(tx, scope) == sum(said.ended is None for said in read)
        waited = Counter((said.ended, said.wished, ZONES[said.person]) for said in ended)
        found = queries.list_completions(tx, scope, period)
        assert Counter((row.finished_on, row.wished_at, row.zone) for row in found) == waited
        filed = Counter(topic for said in ended for topic in world.filed[said.paper])
        named = {world.topics[topic].slug: number for topic, number in filed.items()}
        assert {row.slug: row.number for row in queries.list_topic_counts(tx, scope, period)} == named


@pytest.mark.deep
@THOROUGH
@given(
    world=WORLDS,
    viewer=st.integers(0, PEOPLE - 1),
    who=st.sampled_from(["me", "team"]),
    topic=st.none() | st.integers(0, 2),
    span=st.sampled_from([*SPANS]),
)
def test_the_page_equals_an_independent_count_in_any_time_zone(database, world, viewer, who, topic, span):
    with existing(database, world) as tx, time_machine.travel(NOW, tick=False):
        me = CurrentUser(world.people[viewer], "Ada", "member", time_zone=ZONES[viewer])
        slug = "" if topic is None else world.topics[topic].slug
        shown = get_statistics(tx, me, StatisticsOptions(who, span, slug))
        mine = counted(world, viewer if who == "me" else None, topic)
        first = shown.period.first
        ended = [said for said in mine if said.status == "read" and first <= said.end <= TODAY]

        for bar in shown.bars:
            within = [said.depth for said in ended if bar.time_step.first <= said.end <= bar.time_step.last]
            assert bar.parts == tuple(within.count(depth) for depth in DEPTHS)
        for step in shown.steps:
            assert step.added == sum(first <= said.added <= step.time_step.last for said in mine)
            assert step.finished == sum(said.end <= step.time_step.last for said in ended)
        if span == "weeks":
            assert [bar.time_step.first.weekday() for bar in shown.bars] == [0] * 12
        assert [share.number for share in shown.depths] == [
            sum(said.depth == depth for said in ended) for depth in DEPTHS
        ]

        waits = [(said.end - said.there(said.wished)).days for said in ended if said.wished]
        waited = [days for days in waits if days >= 0]
        assert (shown.waiting_times.median, shown.waiting_times.number) == (
            median_low(waited) if waited else None,
            len(waited),
        )
        edges = [-1, 7, 28, 91, 10_000]
        assert [share.number for share in shown.waiting_times.shares] == [
            sum(low < each <= high for each in waited) for low, high in pairwise(edges)
        ]

        where = [VENUES[said.paper] for said in ended]
        named = Counter(f"{venue} {year}" if year else venue for venue, year in where if venue)
        assert {share.name: share.number for share in shown.venues} == named
        assert {share.name: share.number for share in shown.years} == Counter(str(year) for _, year in where if year)
        filed = Counter(world.topics[each].name for said in ended for each in world.filed[said.paper])
        assert {share.name: share.number for share in shown.topics} == filed

        zone = ZoneInfo(ZONES[viewer] or "UTC")  # of who looks: the edges of the ages
        days = [(TODAY - said.touched.astimezone(zone).date()).days for said in mine if said.status == "reading"]
        edges = [0, *queries.AGES, 10_000]
        assert [share.number for share in shown.ages] == [
            sum(low <= each < high for each in days) for low, high in pairwise(edges)
        ]
        in_year = [
            said.ended for said in mine if said.status == "read" and said.ended and said.ended.year == TODAY.year
        ]
        assert shown.calendar == Counter(in_year)


@THOROUGH
@given(world=WORLDS, chosen=SCOPES)
def test_the_coverage_and_its_lists_equal_an_independent_count(database, world, chosen):
    person, topic = chosen
    within = {None: {0, 1, 2}, 0: {0, 1}, 1: {1}, 2: {2}}[topic]
    with existing(database, world) as tx:
        standing = get_coverage_report(tx, scope_of(world, *chosen))
        here = [n for n in range(PAPERS) if not GONE[world.gone[n]] and (topic is None or within & {*world.filed[n]})]
        readers = {
            paper: {said.person for said in counted(world, *chosen) if said.status == "read" and said.paper == paper}
            for paper in here
        }
        assert standing.coverage == (
            len(here),
            sum(map(bool, readers.values())),
            sum(len(who) > 1 for who in readers.values()),
        )

        shared = {(s.person, s.paper) for s in world.readings if s.status == "read" and not s.private}
        others = {paper: {who for who, what in shared if what == paper and who != person} for paper in here}
        dated = {said.paper for said in counted(world, *chosen) if said.ended}
        alone = {p for p in dated if (len(others[p]) == 1 if person is None else not others[p])}
        written = {paper for who, paper, private in world.summaries if not private or who == person}
        number_of = {paper: n for n, paper in enumerate(world.papers)}

        def numbers(rows):
            return {number_of[row.id] for row in rows}

        assert numbers(standing.only_one) <= alone
        assert len(standing.only_one) == min(len(alone), 5)
        assert numbers(standing.unsummarised) <= dated - written
        assert len(standing.unsummarised) == min(len(dated - written), 5)
        assert numbers(standing.discussed) == {
            paper for paper in here if paper in world.comments and not readers[paper]
        }
