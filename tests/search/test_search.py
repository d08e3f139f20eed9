"""What is found and what is not, on both databases."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.models import Entry, Note, NoteRevision
from tests import make
from tests.search.finding import find, found_by

pytestmark = pytest.mark.both_databases


def key(row):
    return row.id


@pytest.fixture
def library(database):
    """An indexed library, and the person who asks in most tests."""
    with database.write() as tx:
        search.ensure(tx)
    return database


@pytest.fixture
def me(library):
    with library.write() as tx:
        return make.visitor(tx)


def add(database, *titles, **fields):
    with database.write() as tx:
        ids = [key(make.paper(tx, title, **fields)) for title in titles]
        search.update_papers(tx, ids)
    return ids


def entry(tx, **fields):
    note = Note(title="Notes", title_key="notes")
    tx.add(note)
    tx.flush()
    revision = NoteRevision(note_id=key(note), text="", sha256=str(key(note)), line_count=1)
    tx.add(revision)
    tx.flush()
    place = {"position": 1, "first_line": 1, "last_line": 1, "decision": "add", "fingerprint": ""}
    made = Entry(revision_id=key(revision), **{"kind": "paper", **place, **fields})
    tx.add(made)
    tx.flush()
    return made


TITLES = [
    "FlashAttention: Fast and Memory-Efficient Exact Attention",
    "ZeRO-Offload: Democratizing Billion-Scale Model Training",
    "大規模言語モデルの分散学習入門",
    "万卡 GPU 集群互联：硬件配置和网络设计",
    "数据并行训练与流水线并行",
    "Exploring C4 and The Pile",
    "Checkpointing in C++ by Müller",
]


WORDS = {
    "attention": [0],
    "flash": [0],
    "ATTENTION exact": [0],
    "attention training": [],
    "attention OR training": [0, 1],
    "exact -attention": [],
    "-attention": [1, 2, 3, 4, 5, 6],
    "ZeRO": [1],
    "ZeRO-Offload": [1],
    '"billion scale"': [1],
    '"scale billion"': [],
    '"billion sca"': [],
    "学習": [2],
    "分散学習": [2],
    "習": [2],
    "学": [2],
    "モデル": [2],
    "并行": [4],
    "并": [4],
    "并行 训练": [4],
    "并行训练": [4],
    "训练并行": [],
    "gpu集群": [3],
    "ｇｐｕ": [3],
    "网络 OR 学習": [2, 3],
    "C4": [5],
    "C+": [],
    "C++": [6],
    "muller": [6],
    "check": [6],
    "nowhere": [],
    "% attention": [0],
    "title:attention": [0],
    "abstract:attention": [],
    "title:学習,并行": [2, 4],
}


@pytest.mark.deep
def test_words_find_the_papers_containing_them(library):
    ids = add(library, *TITLES)
    assert found_by(library, WORDS, dict(enumerate(ids))) == WORDS


@pytest.mark.deep
def test_common_words_find_the_papers_containing_them(library, monkeypatch):
    monkeypatch.setattr(search.sqlite, "MANY_HITS", 1)
    ids = add(library, *TITLES)
    assert found_by(library, WORDS, dict(enumerate(ids))) == WORDS


STEMMED = [
    "Caching of Queries",
    "A Cache that Serves",
    "Optimized Serving",
    "A Server for Query Optimization",
    "Serverless",
]
BY_STEM = {
    "caching": [0, 1],
    "caches": [0, 1],
    "cache": [0, 1],
    "query": [0, 3],
    "queries": [0, 3],
    "optimizing": [2, 3],
    "serving": [1, 2],
    "server": [3, 4],
    "title:caches serves": [1],
    "caching -queries": [1],
    '"caching"': [0],
    '"query optimization"': [3],
    "abstract:caching": [],
}


def test_english_words_find_papers_by_their_stems_and_quoted_ones_as_written(library):
    ids = add(library, *STEMMED)
    assert found_by(library, BY_STEM, dict(enumerate(ids))) == BY_STEM


def test_names_are_not_found_by_stems(library):
    with library.write() as tx:
        williams = make.paper(tx, "Anything", authors=["Ada Williams"])
        make.paper(tx, "Something", authors=["Ada William"])
        search.update_papers(tx, [key(williams), key(williams) + 1])
    assert find(library, "author:Williams") == [key(williams)]


HOSTILE = [
    *(
        "' OR 1=1--",
        "'; DROP TABLE paper;--",
        "*",
        "%",
        "_",
        "a*",
        "^a",
        "a^2",
        "NEAR(a b)",
        "title : a",
        "{title}",
        "-",
    ),
    *(
        "a AND",
        "OR",
        "NOT",
        "\0",
        "a\0b",
        "\ud800",
        "\\",
        "'a':*",
        "a & b",
        "a <-> b",
        "!a",
        ":q",
        "$1",
        "%(q)s",
        "?",
        "é'",
    ),
    *("𠮷", "a" * 1990, "学" * 1990, "id:' title:' author:\0", "topic:\0 import:\ud800 topic:%", "id:\0 id:% id:*"),
]


@pytest.mark.deep
def test_query_syntax_of_other_languages_is_literal(library, me):
    """Each finds what its letters and digits find, which is nothing here, whatever stands around them."""
    add(library, "Something else entirely", "并行")
    searches = [text for hostile in HOSTILE for text in (hostile, f'"{hostile}"', f"note:{hostile}")]
    assert {text: found for text in searches if (found := find(library, text, me))} == {}


def test_punctuation_around_a_word_does_not_matter(library):
    (paper,) = add(library, "Attention")
    add(library, "Else")
    for text in ("attention'", '"attention"', "attention*", "%attention%", "^attention", "'attention'--", "attention;"):
        assert find(library, text) == [paper]


def test_an_empty_search_finds_everything(library):
    expected = add(library, *TITLES)
    for text in ("", " ", "()", '"', '""'):
        assert find(library, text) == expected


def test_each_word_may_match_a_different_field(library, me):
    with library.write() as tx:
        paper = make.paper(
            tx, "On Pipelines", authors=["Jane Doe", "山田 太郎"], abstract="About bubbles.", identifier="doi:10.1/xyz"
        )
        make.filed(tx, paper, make.topic(tx, "Parallelism", aliases=("并行",)))
        entry(tx, paper_id=key(paper), text="told by Aki", raw="- seen at lunch")
        summary = make.summary(tx, me.id, key(paper), "A zigzag schedule.")
        search.update_papers(tx, [key(paper)])
        search.update_summaries(tx, [key(summary)])
        expected = [key(paper)]
    assert find(library, "pipelines doe 山田 bubbles parallelism 并行 lunch aki 10.1/xyz zigzag") == expected
    for text in ("author:doe", "abstract:bubbles", "note:lunch", "summary:zigzag", "id:10.1/xyz", 'author:"jane doe"'):
        assert find(library, text) == expected
    for text in ("author:bubbles", "abstract:doe", "note:zigzag", "summary:lunch", "id:doe", 'author:"doe 山田"'):
        assert find(library, text) == []


def test_a_private_summary_is_found_by_its_author_only_and_changes_nothing_for_others(library, me):
    with library.write() as tx:
        other = make.visitor(tx)
        papers = [key(make.paper(tx, "Alpha")), key(make.paper(tx, "Beta"))]
        search.update_papers(tx, papers)
    questions = [
        "secret",
        "alpha secret",
        "alpha -secret",
        "summary:secret",
        "has:summary",
        "no:summary",
        "secret OR beta",
    ]
    before = [find(library, text, asker) for text in questions for asker in (other, None)]
    with library.write() as tx:
        search.update_summaries(tx, [key(make.summary(tx, me.id, papers[0], "A secret thought", private=True))])
    assert [find(library, text, asker) for text in questions for asker in (other, None)] == before
    assert [find(library, text, me) for text in questions] == [
        papers[:1],
        papers[:1],
        [],
        papers[:1],
        papers[:1],
        papers[1:],
        papers,
    ]


def test_a_shared_summary_is_found_by_all_until_it_is_deleted(library, me):
    (paper,) = add(library, "Alpha")
    with library.write() as tx:
        summary = make.summary(tx, me.id, paper, "elegant")
        search.update_summaries(tx, [key(summary)])
    assert find(library, "elegant") == [paper]
    with library.write() as tx:
        tx.merge(summary).deleted_at = datetime.now(UTC)
    assert find(library, "elegant", me) == []


STATUSES = {
    "status:to_read": ["to_read"],
    "status:read,dropped": ["read", "dropped"],
    "status:any": ["to_read", "read", "dropped"],
    "status:none": ["", "again"],
    "status:none,read": ["", "again", "read"],
    "status:any,none": ["", "again", "to_read", "read", "dropped"],
    "-status:any": ["", "again"],
}


def test_status_refers_to_the_searching_persons_current_reading(library, me):
    with library.write() as tx:
        ids = {status: key(make.paper(tx)) for status in ("", "again", "to_read", "read", "dropped")}
        for status in ("to_read", "read", "dropped"):
            make.reading(tx, me.id, ids[status], status)
        make.reading(tx, key(make.person(tx)), ids[""], "read")
        make.reading(tx, me.id, ids["again"], "read", current=False)
    assert found_by(library, STATUSES, ids, me) == STATUSES


def test_without_a_person_no_paper_has_a_status(library):
    ids = add(library, "Alpha")
    assert [find(library, "status:any"), find(library, "status:none")] == [[], ids]


def test_topic_matches_any_name_and_includes_subtopics(library):
    with library.write() as tx:
        above = make.topic(tx, "Parallelism", aliases=("并行",))
        below = make.topic(tx, "Pipeline stages", parent_id=key(make.topic(tx, "Pipeline", parent_id=above.id)))
        direct, deep, _outside = make.paper(tx), make.paper(tx), make.paper(tx)
        make.filed(tx, direct, above)
        make.filed(tx, deep, below)
        expected = [direct.id, deep.id]
        only_deep = [deep.id]
    for text in ("topic:parallelism", "topic:Parallelism", "topic:并行", "topic:other,并行", "topic:并行 -topic:other"):
        assert find(library, text) == expected
    assert find(library, "topic:pipeline-stages") == find(library, 'topic:"pipeline stages"') == only_deep
    assert find(library, "topic:stages") == []


YEARS = {
    "year:2020": [2020],
    "year:2019..2021": [2020, 2021],
    "year:>2020": [2021, 2024],
    "year:*..2020": [2020],
    "year:any": [2020, 2021, 2024],
    "year:none,2024": [2024, None],
    "-year:>2020": [2020, None],
}


def test_years_are_compared_and_a_paper_without_one_is_in_no_range(library):
    ids = {year: add(library, "On Years", year=year)[0] for year in (2020, 2021, 2024, None)}
    assert found_by(library, YEARS, ids) == YEARS


KINDS = {
    "kind:video": ["video"],
    "kind:video,paper": ["video", "paper"],
    "is:inbox": ["video"],
    "is:library": ["paper"],
    "lang:zh": ["video"],
    "lang:zh-hans,none": ["video", "paper"],
    "has:abstract": ["paper"],
    "no:abstract": ["video"],
    "no:topic": ["video", "paper"],
    "has:topic,abstract": ["paper"],
    "source:arxiv": ["paper"],
    "source:youtube,arxiv": ["video", "paper"],
}


def test_filters_by_kind_and_by_what_a_paper_has(library):
    with library.write() as tx:
        video = make.paper(tx, kind="video", triage="inbox", language="zh-Hans", identifier="youtube:abcdefghijk")
        paper = make.paper(tx, abstract="Short.", identifier="arxiv:2305.15778")
        ids = {"video": video.id, "paper": key(paper)}
    assert found_by(library, KINDS, ids) == KINDS


FORMS = [
    "2305.15778",
    "2305.15778v2",
    "arxiv:2305.15778",
    "https://arxiv.org/abs/2305.15778v1",
    "2401.00001,2305.15778",
]


def test_an_identifier_is_found_in_all_its_forms(library):
    expected = add(library, "One", identifier="arxiv:2305.15778")
    add(library, "Other", identifier="arxiv:2305.15779")
    for text in ("2305.15778", "arxiv:2305.15778", *(f"id:{form}" for form in FORMS)):
        assert find(library, text) == expected


def test_lines_of_notes_are_found_too(library):
    with library.write() as tx:
        question = entry(tx, kind="question", text="なぜ分散学習は遅いのか", raw="? なぜ分散学習は遅いのか")
        lines = question, entry(tx, text="other")
        search.add_entries(tx, {key(line): search.entry_document(line.title, line.text, line.raw) for line in lines})
        expected = [key(question)]
    assert find_entries(library, "分散学習") == expected
    assert find_entries(library, "分散学習 status:read") == expected
    assert find_entries(library, "分散学習 OR status:read") == expected
    assert find_entries(library, "status:read") == find_entries(library, "%") == find_entries(library, "") == []


def find_entries(database, text):
    with database.read() as tx:
        select = sa.select(col(Entry.id)).where(search.entry_filter(tx, search.parse(text)))
        return tx.connection().execute(select).scalars().all()


def test_every_value_is_a_bound_parameter(library, me, statements):
    with statements() as seen:
        find(library, "zebra title:zebra topic:zebra year:1234 id:zebra lang:zzz host:zebra status:read kind:video", me)
    assert not any(word in statement for statement in seen for word in ("zebra", "1234", "zzz", "'read'", "video"))
