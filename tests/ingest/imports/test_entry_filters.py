"""Long previews: narrowed by what becomes of the lines, by kind and by words, counted, decided at once, reported."""

import pytest

from readtrack.infra.errors import Conflict
from readtrack.ingest.imports import queries
from readtrack.ingest.imports import report as imports_report
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, decide_all, reset_entry
from readtrack.ingest.imports.queries import EntryFilter
from readtrack.ingest.imports.rules import RuleCreate, add_rule
from readtrack.ingest.parser import ParsedEntry
from tests import make
from tests.ingest.imports.given import LONG, OTHER, given, line
from tests.sample_library import carry_out, content, entries_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.both_databases,
]  # many requests to a whole application

ARXIV = "arxiv:2401.00001"
LINES = [
    line(1, "topic", title="分散学習", raw="# 分散学習"),
    line(2, title=LONG, identifiers=(ARXIV,), raw=f"[{LONG}](https://arxiv.org/abs/2401.00001)"),
    line(
        3,
        title="ＺｅＲＯ-Infinity",
        paper_kind="article",
        identifiers=("url:example.org/x",),
        text="大規模モデルの訓練",
    ),
    line(4, "mention", identifiers=(ARXIV,), decision="review", reason="Another title above: is one wrong?"),
    line(5, "junk", decision="skip", title="", reason="A badge."),
    line(6, "blank", decision="skip", raw=""),
    line(7, "snippet", text="a remark", raw="a remark"),
    line(7, "question", part=2, title="Does it pay?", raw=""),
]


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


@pytest.fixture
def import_id(database, me):
    return given(database, me, *LINES)


def shown(database, import_id, **wanted):
    with database.read() as tx:
        rows, more = queries.list_preview_page(tx, import_id, EntryFilter(**wanted), limit=100)
    assert not more
    return [row.position for row in rows]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("wanted", "positions"),
    [
        ({}, [1, 2, 3, 4, 5, 7, 8]),
        ({"show": "new"}, [1, 2, 3, 8]),
        ({"show": "kept"}, [7]),
        ({"show": "review"}, [4]),
        ({"show": "skip"}, [5]),
        ({"show": "known"}, []),
        ({"show": "nonsense"}, []),
        ({"kind": "paper"}, [2]),
        ({"kind": "article"}, [3]),
        ({"kind": "question"}, [8]),
        ({"kind": "nonsense"}, []),
        ({"q": "recovery"}, [2]),
        ({"q": "zero-infinity"}, [3]),
        ({"q": "ｚｅｒｏ"}, [3]),
        ({"q": "学習"}, [1]),
        ({"q": "訓練 モデル"}, [3]),
        ({"q": "2401.00001"}, [2]),
        ({"q": "is:read topic:x"}, []),
        ({"q": "?!"}, []),
        ({"q": "pay", "kind": "question", "show": "new"}, [8]),
        ({"q": "pay", "kind": "paper"}, []),
    ],
)
def test_a_preview_is_filtered(database, import_id, wanted, positions):
    assert shown(database, import_id, **wanted) == positions


@pytest.mark.deep
def test_each_filter_shows_its_number_of_results(database, import_id):
    with database.read() as tx:
        everything = queries.count_preview_entries(tx, import_id)
        for show in ("", *queries.DECISION_FILTERS):
            for kind in ("", *everything.kinds):
                for q in ("", "recovery"):
                    counts = queries.count_preview_entries(tx, import_id, EntryFilter(show, kind, q))
                    assert counts.shown.get(show, 0) == len(shown(database, import_id, show=show, kind=kind, q=q))
                    assert counts.kinds.get(kind, 0) == counts.shown.get(show, 0) or not kind
    assert everything.shown == {"": 7, "new": 4, "kept": 1, "review": 1, "skip": 1}
    assert sum(everything.kinds.values()) == everything.shown[""]


def test_pages_link_to_the_next_and_previous(database, me):
    import_id = given(database, me, *(line(n, title=f"{LONG} {n}") for n in range(1, 26)))
    with database.read() as tx:
        after, pages = 0, []
        while True:
            rows, more = queries.list_preview_page(tx, import_id, after=after, limit=10)
            pages.append((after, [row.position for row in rows]))
            if not more:
                break
            after = rows[-1].position
        assert [positions for _, positions in pages] == [[*range(1, 11)], [*range(11, 21)], [*range(21, 26)]]
        before = [queries.find_page_before(tx, import_id, after=after, limit=10) for after, _ in pages]
    assert before == [None, 0, 10]


def decide(database, me, import_id, decision, **wanted):
    with database.write() as tx:
        return decide_all(tx, me, import_id, EntryFilter(**wanted), decision=decision)


def decisions(database, import_id):
    return [entry.decision for entry in entries_of(database, import_id)]


def test_all_entries_of_a_filter_are_decided_at_once_with_undo(database, me, import_id):
    before = content(database)
    assert decide(database, me, import_id, "skip", kind="paper") == 1
    assert decide(database, me, import_id, "skip", show="review") == 1
    assert decide(database, me, import_id, "skip", q="訓練") == 1
    assert decisions(database, import_id) == ["add", "skip", "skip", "skip", "skip", "skip", "add", "add"]
    assert decide(database, me, import_id, "skip", kind="paper") == 0
    for position in (2, 3, 4):
        with database.write() as tx:
            reset_entry(tx, me, import_id, position)
    assert content(database) == before


def test_noise_is_not_added_with_everything_else(database, me, import_id):
    assert decide(database, me, import_id, "add") == 1
    assert decisions(database, import_id) == ["add", "add", "add", "add", "skip", "skip", "add", "add"]


def test_corrections_before_and_after_a_bulk_decision_are_both_undone(database, me, import_id):
    before = content(database)
    with database.write() as tx:
        correct_entry(tx, me, import_id, 2, edit=EntryUpdate(title="Corrected"))
    assert decide(database, me, import_id, "skip") == 6
    with database.write() as tx:
        correct_entry(tx, me, import_id, 3, edit=EntryUpdate(title="Corrected too", kind="video"))
    for position in range(1, 9):
        if position != 6:
            with database.write() as tx:
                reset_entry(tx, me, import_id, position)
    assert content(database) == before


def test_after_the_commit_only_the_waiting_line_is_decided_and_nothing_once_it_is_imported(database, me, import_id):
    carry_out(database, me, import_id)
    assert decide(database, me, import_id, "skip") == 1
    carry_out(database, me, import_id)
    with pytest.raises(Conflict, match="Already imported"):
        decide(database, me, import_id, "skip")


@pytest.mark.deep
def test_two_thousand_entries_take_as_many_statements_as_ten(database, me, statements):
    def costs(count):
        entries = [
            ParsedEntry(n, n, 1, "paper", "paper", title=f"{LONG} {n}", topics=("A",), raw=f"line {n}")
            for n in range(1, count + 1)
        ]
        import_id = given(database, me, *entries, title=f"{count}.md")
        told = []
        with statements() as seen, database.read() as tx:
            queries.list_preview_page(tx, import_id, EntryFilter("new", "paper", "recovery"), after=5, limit=3)
            told.append(len(seen))
            queries.count_preview_entries(tx, import_id, EntryFilter(q="recovery"))
            told.append(len(seen))
            imports_report.get_report(tx, import_id)
            told.append(len(seen))
        with statements() as seen:
            assert decide(database, me, import_id, "skip", q="recovery") == count
            told.append(len(seen))
        return told

    few = costs(10)
    assert costs(2_000) == few
    assert few[1] - few[0] == 1
    assert few[3] <= 10


def report(database, import_id):
    with database.read() as tx:
        return imports_report.get_report(tx, import_id)


@pytest.mark.deep
def test_the_report_adds_up_before_and_after_the_commit(database, me):
    with database.write() as tx:
        make.paper(tx, LONG, identifier=ARXIV)
        add_rule(tx, me, RuleCreate(pattern="host", value="example.org", says="kind", name="video"))
    import_id = given(database, me, *LINES, line(8, title=OTHER))
    before = report(database, import_id)
    carry_out(database, me, import_id)
    after = report(database, import_id)
    for said in (before, after):
        assert sum(said.lines.values()) == said.line_count == 8
        assert sum(said.kinds.values()) == sum(said.decisions.values()) == said.entries == 8
        assert said.papers == {"new": 2, "known": 1}
        assert said.rules == [("example.org: video", 1)]
    assert (before.state, after.state) == ("preview", "committed")


def test_the_report_lists_entries_that_need_review(database, me, import_id):
    said = report(database, import_id)
    assert said.warning_count == 1
    [doubt] = said.warnings
    assert (doubt.position, doubt.line, doubt.reason) == (4, 4, "Another title above: is one wrong?")
    with database.write() as tx:
        assert add_rule(tx, me, RuleCreate(pattern="heading", value="Gone", says="no_topic"))
    assert said.rules == []
