"""What somebody keeps to himself changes nothing that others find, by any filter: hits, order, counts, offers."""

from datetime import timedelta

import pytest

from readtrack import search
from readtrack.infra.clock import now, today
from readtrack.infra.models import SavedSearch
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.papers.facets import count_facets
from readtrack.library.papers.grouping import page_groups
from readtrack.library.papers.lists import PaperFilter, count_papers, list_papers
from readtrack.library.papers.relaxed_queries import relax_query
from readtrack.search import QUALIFIERS, SORTED
from readtrack.workspace.saved_searches import queries as views
from tests import make
from tests.depth import DEEP, one_in
from tests.search.furnished import furnish

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # every filter is asked many ways

# What each filter is asked: by the words of what is kept private, by its person, or by what would change with it.
ASKED = {
    "title": ["title:zigzag", "-title:xylophone"],
    "author": ["author:doe", "author:mei"],
    "abstract": ["abstract:elegant", "abstract:xylophone"],
    "venue": ["venue:nsdi"],
    "summary": ["summary:xylophone", "-summary:xylophone", "summary:elegant"],
    "comment": ["comment:xylophone", "comment:overlap"],
    "note": ["note:xylophone", "note:分散学習"],
    "in": ["xylophone in:summary", "xylophone in:summary,comment", "zigzag in:title,summary"],
    "han": ["木琴 han:all", "学习 han:all"],
    "topic": ["topic:none", "topic:moe"],
    "tag": ["tag:any"],
    "kind": ["kind:video"],
    "year": ["year:2020..2024"],
    "lang": ["lang:zh"],
    "id": ["id:2305.15778"],
    "arxiv": ["arxiv:2305.15778"],
    "doi": ["doi:10.1145/3627703.3650085"],
    "source": ["source:usenix"],
    "host": ["host:github.com", "host:xylophone.example"],
    "link": ["link:any"],
    "import": ["import:1"],
    "has": ["has:summary", "has:discussion", "has:question"],
    "no": ["no:summary", "no:discussion"],
    "status": [
        *("status:any", "status:none", "status:read by:@mei", "status:read by:@team", "status:none by:@mei"),
        *("status:any by:@team", "-status:any by:@team", "(status:read OR status:reading) by:@mei,@ken"),
    ],
    "by": ["by:@mei", "-by:@mei", "by:@team", "by:@mei by:@ken"],
    "readers": ["readers:0", "readers:1", "readers:>=1", "readers:>=2", "-readers:0..1"],
    "unread-by": ["unread-by:@mei", "-unread-by:@mei", "unread-by:@team", "-unread-by:@team"],
    "depth": ["depth:studied by:@mei", "depth:studied by:@team", "depth:none by:@team"],
    "progress": ["progress:>1 by:@mei", "progress:any by:@team", "progress:none by:@team"],
    "is": [
        *("is:stale", "is:stale by:@team", "is:private", "is:assigned", "is:overdue", "is:mine", "is:failed"),
        *("-is:private", "-is:assigned", "is:inbox,rejected"),
    ],
    "assignee": ["assignee:@mei", "assignee:any", "assignee:none", "-assignee:@mei"],
    "due": ["due:<1w", "due:any", "due:<1w assignee:@mei"],
    "meeting": ["meeting:next", "meeting:none"],
    "mentions": ["mentions:@ada", "mentions:@ken", "mentions:@mei"],
    "involves": ["involves:@mei", "involves:@team", "-involves:@mei"],
    "added": ["added:<9m"],
    "updated": ["updated:<9m", "updated:today"],
    "read": ["read:any by:@mei", "read:<1w by:@team", "read:none by:@team"],
    "published": ["published:any"],
    "sort": [f"sort:{order}{way}" for order in SORTED for way in (("-asc", "-desc") if DEEP else ("-desc",))],
}
WORDS = ["", "xylophone", "-xylophone", "木琴", "zigzag", "zigzag xylophone", "zigzag OR xylophone", "mei"]
QUESTIONS = [*WORDS, *(text for texts in ASKED.values() for text in texts)]
TYPED = ["by:@", "by:m", "topic:x", "venue:x", "lang:", "meeting:", "import:", "xyl", "status:", "mentions:@a"]


@pytest.fixture
def people(database):
    """Ada, who looks; and Mei, who is asked to read two papers and may have something to hide."""
    with database.write() as tx:
        ada, mei, ids = furnish(tx)
        make.assignment(tx, mei.id, ids["plain"], due_on=today() - timedelta(days=1))
        make.assignment(tx, mei.id, ids["parallel"], due_on=today() + timedelta(days=2))
        for q in ("xylophone", "readers:>0", "status:read by:@team", "has:summary"):
            make.added(tx, SavedSearch(person_id=ada.id, name=q, q=q, shared=True))
    return ada, mei, ids


def everything(tx, me: CurrentUser) -> dict[tuple[str, str], object]:
    """All that the language tells somebody, by question."""
    seen: dict[tuple[str, str], object] = {("views", ""): views.count_papers(tx, me, views.list_views(tx, me))}
    for q in QUESTIONS:
        wanted = PaperFilter(q)
        seen["hits", q] = [row.id for row in list_papers(tx, me, wanted, PageRequest(50)).items]
        if not one_in(3, q):
            continue  # what a list has is found by the same conditions
        seen["count", q] = count_papers(tx, me, wanted)
        seen["facets", q] = count_facets(tx, me, wanted)
        seen["less", q] = relax_query(tx, me, f"nowhere {q}") if "sort:" not in q else []
    for q in ("", "readers:>0", "xylophone"):
        for by in ("status", "topic", "venue", "year", "reader") if q or DEEP else ("status", "reader"):
            rows = page_groups(tx, me, PaperFilter(q), PageRequest(50), by=by).items
            seen[by, q] = [(row.value, row.text, row.paper.id) for row in rows]
    for typed in (*TYPED, *(f"{name}:" for name in QUALIFIERS)):
        seen["offers", typed] = search.complete(tx, typed, len(typed))
    return seen


def keep_private(tx, mei: CurrentUser, ids: dict[str, int]) -> None:
    """Of every kind that can be: readings in each status, summaries with words and mentions, a view."""
    long_ago = now() - timedelta(days=60)
    done = {"depth": "studied", "finished_on": today(), "recommendation": "must_read"}
    make.reading(tx, mei.id, ids["plain"], "read", private=True, **done)
    make.reading(tx, mei.id, ids["parallel"], "read", private=True, depth="skimmed", current=False)
    make.reading(tx, mei.id, ids["parallel"], "reading", private=True, pass_number=2, updated_at=long_ago)
    half = {"progress_unit": "page", "progress_at": 5, "progress_of": 8}
    make.reading(tx, mei.id, ids["bare"], "paused", private=True, **half)
    make.reading(tx, mei.id, ids["old"], "dropped", private=True)
    make.reading(tx, mei.id, ids["code"], "to_read", private=True)
    for name in ("bare", "talk", "learning"):
        text = "A xylophone (木琴), zigzag and elegant; @Ada, @Ken, see https://xylophone.example."
        written = make.summary(tx, mei.id, ids[name], text, tldr="Xylophone", private=True)
        search.update_summaries(tx, [written.id])
    make.added(tx, SavedSearch(person_id=mei.id, name="Xylophones", q="xylophone"))


def test_every_filter_is_covered():
    assert set(ASKED) == set(QUALIFIERS)
    for name, texts in ASKED.items():
        assert all(f"{name}:" in text for text in texts), name


def test_private_data_changes_no_search_result_of_others(database, people):
    ada, mei, ids = people
    with database.read() as tx:
        before = everything(tx, ada)
    with database.write() as tx:
        keep_private(tx, mei, ids)
    with database.read() as tx:
        after = everything(tx, ada)
    assert [asked for asked in before if before[asked] != after[asked]] == []


@pytest.mark.deep
def test_the_owner_finds_all_their_private_data(database, people):
    """Else the test above would show nothing."""
    _ada, mei, ids = people
    with database.read() as tx:
        before = everything(tx, mei)
    with database.write() as tx:
        keep_private(tx, mei, ids)
    with database.read() as tx:
        after = everything(tx, mei)
    found = {q for kind, q in before if kind == "hits" and before[kind, q] != after[kind, q]}
    told = {"summary", "in", "han", "has", "no", "status", "by", "readers", "unread-by", "depth", "progress"}
    told |= {"is", "assignee", "due", "mentions", "involves", "read", "sort"}
    assert {name for name, texts in ASKED.items() if found.intersection(texts)} == told
    assert {"xylophone", "木琴", "zigzag OR xylophone"} <= found
