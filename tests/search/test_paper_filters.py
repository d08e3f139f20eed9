"""Filters on what papers are and have, and the times they mean."""

from datetime import UTC, date, datetime, timedelta

import pytest

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.models import DuplicatePair, Link, Relation
from readtrack.infra.permissions import CurrentUser
from readtrack.search import dates
from readtrack.search.dates import LocalTime
from tests import make
from tests.search.finding import found_by

HERE = LocalTime(datetime(2026, 3, 31, 15, 30, tzinfo=UTC), "Asia/Tokyo")  # half past midnight of 1 April there


def meant(text):
    when = dates.parse(text)
    assert when is not None
    return when


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2024", date(2024, 1, 1), date(2025, 1, 1)),
        ("2024-02", date(2024, 2, 1), date(2024, 3, 1)),
        ("2024-12-31", date(2024, 12, 31), date(2025, 1, 1)),
        ("2024-12-31t23:59z", date(2024, 12, 31), date(2025, 1, 1)),
        (">2024-02", date(2024, 3, 1), None),
        (">=2024-02", date(2024, 2, 1), None),
        ("<2024-02", None, date(2024, 2, 1)),
        ("<=2024-02", None, date(2024, 3, 1)),
        ("2023..2024-02", date(2023, 1, 1), date(2024, 3, 1)),
        ("*..2024", None, date(2025, 1, 1)),
        ("2024..*", date(2024, 1, 1), None),
        ("today", date(2026, 4, 1), date(2026, 4, 2)),
        ("2026..today", date(2026, 1, 1), date(2026, 4, 2)),
        ("<2w", date(2026, 3, 18), None),
        ("<=3d", date(2026, 3, 29), None),
        (">1m", None, date(2026, 3, 1)),
        ("<9999y", date(1000, 4, 1), None),
    ],
)
def test_dates_are_interpreted_as_written(text, begin, end):
    assert dates.days(meant(text), HERE.today) == (begin, end)


def test_due_filters_look_ahead():
    assert dates.days(meant("<2w"), HERE.today, ahead=True) == (None, date(2026, 4, 16))
    assert dates.days(meant(">2w"), HERE.today, ahead=True) == (date(2026, 4, 16), None)


def test_the_last_day_of_a_short_month_stands_for_missing_days():
    assert dates.days(meant("<1m"), date(2026, 3, 31)).begin == date(2026, 2, 28)
    assert dates.days(meant("<1y"), date(2024, 2, 29)).begin == date(2023, 2, 28)


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("2024-02", datetime(2024, 1, 31, 15, tzinfo=UTC), datetime(2024, 2, 29, 15, tzinfo=UTC)),
        ("today", datetime(2026, 3, 31, 15, tzinfo=UTC), datetime(2026, 4, 1, 15, tzinfo=UTC)),
        ("2024-05-16t12:00z", datetime(2024, 5, 16, 12, tzinfo=UTC), datetime(2024, 5, 16, 12, 1, tzinfo=UTC)),
        ("2024-05-16t12:00+09:00", datetime(2024, 5, 16, 3, tzinfo=UTC), datetime(2024, 5, 16, 3, 1, tzinfo=UTC)),
        (">2024-05-16t12:00:30", datetime(2024, 5, 16, 3, 0, 31, tzinfo=UTC), None),
        ("<2w", datetime(2026, 3, 17, 15, 30, tzinfo=UTC), None),
        (">1d", None, datetime(2026, 3, 30, 15, 30, tzinfo=UTC)),
    ],
)
def test_times_are_interpreted_in_the_persons_time_zone(text, begin, end):
    assert dates.moments(meant(text), HERE) == (begin, end)


@pytest.mark.parametrize(
    "text", ["", "2w", "*", "*..*", "2024..2023", "0999", "9999", "2024-00", "2024-02-30", "<*", ">2024..2025", "soon"]
)
def test_an_invalid_time_is_not_parsed(text):
    assert dates.parse(text) is None


TIMES = {
    "added:2024-05-16": ["tokyo"],
    "added:<2w": ["new"],
    "added:>2w": ["tokyo", "old"],
    "updated:<=2023": ["old"],
    "updated:..2023": ["old"],
    "updated:2024..": ["tokyo", "new"],
    "-updated:<=2023": ["tokyo", "new"],
    "published:2024": ["tokyo"],
    "published:any": ["tokyo"],
    "published:none": ["new", "old"],
    "-published:2024": ["new", "old"],
    "published:2023..2025,none": ["tokyo", "new", "old"],
}


def test_times_are_compared_and_blank_ones_are_in_no_range(library):
    late, old = datetime(2024, 5, 15, 23, tzinfo=UTC), datetime(2023, 1, 1, tzinfo=UTC)  # in Tokyo it is the 16th
    with library.write() as tx:
        person = make.person(tx)
        ids = {
            "tokyo": make.paper(tx, created_at=late, updated_at=late, published_on=date(2024, 5, 16)).id,
            "new": make.paper(tx, created_at=now() - timedelta(days=3)).id,
            "old": make.paper(tx, created_at=old, updated_at=old).id,
        }
    me = CurrentUser(person.id, person.name, "member", time_zone="Asia/Tokyo")
    assert found_by(library, TIMES, ids, me) == TIMES


FACTS = {
    "venue:nsdi": ["talk"],
    'venue:"nsdi \'24"': ["talk"],
    "nsdi": ["talk"],
    "host:github.com": ["code"],
    "host:gist.github.com": ["code"],
    "host:example": [],
    "host:github": [],
    "host:arxiv.org": ["arxiv"],
    "host:usenix.org": ["talk"],
    "github": [],
    "has:code": ["code"],
    "has:slides,code": ["talk", "code"],
    "no:code": ["talk", "arxiv", "note"],
    "link:presents": ["talk"],
    "link:any": ["talk", "code"],
    "link:none": ["arxiv", "note"],
    "has:duplicate": ["arxiv", "note"],
    "topic:any": ["arxiv"],
    "topic:none": ["talk", "code", "note"],
    "tag:moe,none": ["talk", "code", "arxiv", "note"],
    "source:usenix,url": ["talk", "code"],
    "import:99999999999": [],
}


def test_filters_by_kind_and_related_data(library):
    with library.write() as tx:
        talk = make.paper(tx, "Fast", venue="NSDI '24", identifier="usenix:nsdi24/fast")
        code = make.paper(tx, "Kernels", identifier="url:https://example.org/kernels")
        arxiv, note = (
            make.paper(tx, "Some", identifier="arxiv:2305.15778"),
            make.paper(tx, "Some", identifier="doi:10.1/x"),
        )
        ids = {"talk": talk.id, "code": code.id, "arxiv": arxiv.id, "note": note.id}
        make.added(tx, Link(paper_id=code.id, url="https://gist.github.com/a/b?c=usenix.org", role="code"))
        make.added(tx, Link(paper_id=talk.id, url="not an address", role="slides"))
        make.added(tx, Relation(from_id=talk.id, to_id=code.id, kind="presents"))
        make.added(tx, DuplicatePair(first_id=arxiv.id, second_id=note.id, likeness=90, evidence="The same title."))
        make.filed(tx, arxiv, make.topic(tx, "MoE"))
        line = make.entry(tx, paper_id=note.id)
        search.update_papers(tx, ids.values())
    wanted = {**FACTS, f"import:{line.revision_id}": ["note"]}
    assert found_by(library, wanted, ids) == wanted


def test_the_note_a_paper_came_from_is_given_by_title(library):
    with library.write() as tx:
        paper = make.paper(tx)
        line = make.entry(tx, paper_id=paper.id)
        title = line.raw and tx.connection().exec_driver_sql("SELECT title FROM note").scalar()
    assert found_by(library, [f'import:"{title}"'], {"it": paper.id}) == {f'import:"{title}"': ["it"]}
