"""How a search may go on where somebody types."""

import pytest

from readtrack import search
from readtrack.infra.clock import now
from tests import make

pytestmark = pytest.mark.slow


@pytest.fixture
def library(database):
    with database.write() as tx:
        make.topic(tx, "Mixture of experts", aliases=("MoE", "混合専門家"))
        make.person(tx, "Ken Sato")
        make.person(tx, "Keno", disabled_at=now())
        for venue in ("NSDI 2024", "NSDI 2024", "NeurIPS"):
            make.paper(tx, venue=venue, language="ja")
        make.paper(tx, venue="Nowhere", deleted_at=now())
        meeting = make.meeting(tx, now(), "Reading group")
        line = make.entry(tx)
    return database, meeting.id, line.revision_id


def offered(database, q, at=None):
    with database.read() as tx:
        return [offer.q for offer in search.complete(tx, q, len(q) if at is None else at)]


CASES = {
    "sta": ["status:"],
    "STA": ["status:"],
    "a -sta": ["a -status:"],
    "(sta": ["(status:"],
    "a|stat": ["a|status:"],
    "status:to": ["status:to_read "],
    "status:read,pau": ["status:read,paused "],
    "-kind:vi": ["-kind:video "],
    "sort:rel": ["sort:relevance ", "sort:relevance-asc ", "sort:relevance-desc "],
    "topic:mo": ["topic:mixture-of-experts "],
    "topic:混": ["topic:mixture-of-experts "],
    "tag:mix": ["tag:mixture-of-experts "],
    "by:@k": ['by:"@Ken Sato" '],
    "by:k": ['by:"@Ken Sato" '],
    'by:"@ken sa': ['by:"@Ken Sato" '],
    "by:@t": ["by:@team "],
    "assignee:n": ["assignee:none "],
    "venue:n": ['venue:"NSDI 2024" ', "venue:NeurIPS "],
    "lang:j": ["lang:ja "],
    "meeting:ne": ["meeting:next "],
    "added:<1m": ["added:<1m "],
    "has:dup": ["has:duplicate "],
    "stats:": [],
    "zzz": [],
    "": [],
    "a ": [],
    '"sta': [],
    "title:sta": [],
    "Parcae: sta": ["Parcae: status:"],
    "x" * 2_001: [],
}


@pytest.mark.deep
@pytest.mark.parametrize("q", CASES, ids=[q[:20] or "nothing" for q in CASES])
def test_a_query_is_completed_in_these_ways(library, q):
    assert offered(library[0], q) == CASES[q]


def test_meetings_and_imports_are_suggested_by_number_and_title(library):
    database, meeting, revision = library
    assert offered(database, "meeting:read") == [f"meeting:{meeting} "]
    assert offered(database, "import:no") == offered(database, f"import:{revision}") == [f"import:{revision} "]


def test_completion_works_at_the_caret_and_keeps_the_text_after_it(library):
    assert offered(library[0], "sta year:2024", at=3) == ["status: year:2024"]
    assert offered(library[0], "kind:vi year:2024", at=7) == ["kind:video year:2024"]
    assert offered(library[0], "sta", at=-5) == []
    assert offered(library[0], "sta", at=99) == ["status:"]


@pytest.mark.parametrize(
    "q", ["topic:%", "by:@_", "venue:\0", "meeting:'", "topic:\ud800", 'by:"' + "@" * 500, "import:\\"]
)
def test_wildcard_characters_are_literal(library, q):
    assert offered(library[0], q) == []


@pytest.mark.parametrize("q", [q for q in CASES if "".join(CASES[q]).endswith(" ")])
def test_every_suggested_value_can_be_parsed(library, q):
    for offer in offered(library[0], q):
        assert search.parse(offer) != search.Query()
