"""What is read in one step, because most of it is plain, is read as the long way reads it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from readtrack.infra.text.titles.marks import may_hold_status
from readtrack.infra.text.titles.vocabulary import STATUS_WORDS
from readtrack.infra.text.urls import junk_reason
from readtrack.ingest import parser
from readtrack.ingest.parser.items.sentence_titles import find_titles
from readtrack.ingest.parser.vocabulary.title_affixes import take_apart, take_head
from tests.depth import examples

_WORDS = (
    "Learning|to|Schedule|BERT|GPT-4|2D|OSDI|MLSys|ICML:|Short:|A|of|no|No|No 5:|read|Read:|done|TODO|DONE|UNREAD|"
    "score:|4/5|rating:|dec|Dec|Google|by|author|x|/|&|+|-|–|—|:|,|et al|journal|unread|wip|12|2022"
)
_TAGS = (
    "(OSDI'22)|(OSDI 2022)|[NSDI 23]|(ICLR’24)|(Foo 2020)|(Google 2020)|(Dec 2015)|(OSDI)|(read 2020)|(GPT-42)|"
    "[Lovelace 2021]|(best paper OSDI 22)|(in ICML 2020)|(TODO 20)|"
)
WORDS = st.lists(st.sampled_from(_WORDS.split("|")), max_size=7).map(" ".join)
TAGS = st.sampled_from(_TAGS.split("|"))


@settings(max_examples=examples(50), deadline=None)
@given(WORDS, st.sampled_from(["", " "]), TAGS)
def test_plain_words_give_the_same_result_with_and_without_the_fast_path(words, between, tag):
    text = (words + between + tag).strip()
    assert take_head(text) == take_apart(text)


def test_urls_of_one_host_are_classified_alike_whether_cached_or_not():
    reasons = [junk_reason(f"https://wiki.corp.example.org/{page}") for page in ("a", "b", "a")]
    assert reasons[0] is not None
    assert reasons == reasons[:1] * 3


def test_items_with_title_venue_and_year_are_not_searched_for_titles():
    lines = [
        f"- {name} Caches for Distributed Storage, Ada Lovelace, Charles Babbage, OSDI'22, "
        f"https://arxiv.org/abs/2301.{number:05}, good section on caches"
        for number, name in enumerate(("Elastic", "Sparse", "Adaptive"))
    ]
    searched = find_titles.cache_info()
    entries = parser.parse("\n".join(lines))
    assert [(entry.venue, entry.year) for entry in entries] == [("OSDI", 2022)] * len(lines)
    assert find_titles.cache_info() == searched


def test_a_status_beside_a_complete_item_is_found():
    line = (
        "- 昨日は Elastic Caches for Distributed Storage (OSDI 2022) https://arxiv.org/abs/2301.00001 を途中まで読んだ"
    )
    assert [entry.status for entry in parser.parse(line)] == ["reading"]


def test_no_status_is_passed_over():
    statuses = [word for words in STATUS_WORDS.values() for word in words]
    assert [status for status in statuses if not may_hold_status(f"(some other words, {status})")] == []
