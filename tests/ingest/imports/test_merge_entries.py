"""Entries divided and put together: every line stays accounted for, it can be taken back, and it holds next time."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack import search
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Identifier, Paper
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, reset_entry
from readtrack.ingest.imports.merge_entries import join_entries, split_entry
from tests import make
from tests.depth import examples
from tests.ingest.imports.given import LONG, OTHER, line
from tests.ingest.imports.given import given as noted
from tests.sample_library import carry_out, content, count_of, entries_of
from tests.tables import cases

pytestmark = [
    pytest.mark.slow,
]  # many requests to a whole application

ARXIV, DOI, THIRD = "arxiv:2401.00001", "doi:10.1145/3627703.3650085", "arxiv:2401.00003"
BOTH = line(
    1,
    last=3,
    title=LONG,
    identifiers=(ARXIV, DOI),
    links=[("https://arxiv.org/abs/2401.00001", "landing"), ("https://doi.org/10.1145/3627703.3650085", "landing")],
    raw=f"{LONG}\nhttps://arxiv.org/abs/2401.00001\nhttps://doi.org/10.1145/3627703.3650085",
    topics=("Systems",),
    venue="OSDI",
    status="read",
)
LINES = [
    line(1, "snippet", text=LONG, raw=LONG),
    line(2, "blank", raw="", decision="skip"),
    line(3, identifiers=(ARXIV,), raw="https://arxiv.org/abs/2401.00001", topics=("Systems",)),
    line(4, identifiers=(THIRD,), raw="https://arxiv.org/abs/2401.00003", venue="OSDI", text="worth it"),
    line(4, part=2, title=OTHER, raw="https://arxiv.org/abs/2401.00003"),
]


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def standing(database, import_id):
    with database.read() as tx:
        return queries.list_entries(tx, import_id)


def spans(database, import_id):
    return [(row.first_line, row.last_line, row.part) for row in standing(database, import_id)]


def accounted(database, import_id):
    """Law 1, and the index of the search beside it."""
    with database.read() as tx:
        rows, state = queries.list_entries(tx, import_id), queries.get_import(tx, import_id)
        counted = queries.count_by_kind(tx, import_id)["lines"]
        assert search.check(tx) == []
    lines = [number for row in rows if row.part == 1 for number in range(row.first_line, row.last_line + 1)]
    assert lines == list(range(1, state.line_count + 1))
    assert sum(counted.values()) == state.line_count
    places = [(row.first_line, row.part) for row in rows]
    assert places == sorted(set(places))
    assert len({row.position for row in rows}) == len(rows)


def test_an_entry_with_two_papers_splits_in_two_and_the_first_keeps_the_details(database, me):
    import_id = noted(database, me, BOTH)
    with database.write() as tx:
        assert split_entry(tx, me, import_id, 1) == [1, 2]
    first, other = standing(database, import_id)
    assert (first.identifiers, first.title, first.venue, first.status) == ([ARXIV], LONG, "OSDI", "read")
    assert (other.identifiers, other.title, other.venue, other.status) == ([DOI], "", "", None)
    assert (first.topics, other.topics) == (["Systems"], ["Systems"])
    assert [[link["url"] for link in row.links] for row in (first, other)] == [
        ["https://arxiv.org/abs/2401.00001"],
        ["https://doi.org/10.1145/3627703.3650085"],
    ]
    assert spans(database, import_id) == [(1, 2, 1), (3, 3, 1)]
    accounted(database, import_id)
    carry_out(database, me, import_id)
    assert count_of(database, Paper) == 2


def test_two_papers_on_one_line_are_parts_of_it(database, me):
    entry = line(1, title=LONG, identifiers=(ARXIV, DOI), raw="2401.00001 10.1145/3627703.3650085")
    import_id = noted(database, me, entry, line(1, part=2, title=OTHER))
    with database.write() as tx:
        split_entry(tx, me, import_id, 1)
    assert spans(database, import_id) == [(1, 1, 1), (1, 1, 2), (1, 1, 3)]
    accounted(database, import_id)


def test_an_entry_of_several_lines_splits_by_line(database, me):
    raw = "- https://arxiv.org/abs/2401.00001\n\n- https://arxiv.org/abs/2401.00003 and 2401.00004\n- a remark of ours"
    import_id = noted(database, me, line(1, "snippet", last=4, raw=raw, topics=("Systems",)), line(5))
    with database.write() as tx:
        made = split_entry(tx, me, import_id, 1)
    assert made[0] == 1
    assert 2 not in made
    rows = standing(database, import_id)
    assert [name for row in rows for name in row.identifiers][:2] == [ARXIV, THIRD]
    assert all("Systems" in row.topics for row in rows if row.identifiers)
    accounted(database, import_id)


def test_an_impossible_split_is_reported(database, me):
    import_id = noted(database, me, line(1, title=LONG, identifiers=(ARXIV, "file:a.pdf")))
    before = content(database)
    with database.write() as tx, pytest.raises(Invalid, match="only one line and one identifier"):
        split_entry(tx, me, import_id, 1)
    assert content(database) == before


def test_adjacent_entries_merge_with_all_their_details(database, me):
    import_id = noted(database, me, *LINES)
    with database.write() as tx:
        assert join_entries(tx, me, import_id, [4, 1, 3]) == 1
    first, other = standing(database, import_id)
    assert (first.kind, first.title, first.identifiers, first.topics) == ("paper", LONG, [ARXIV, THIRD], ["Systems"])
    assert (first.venue, first.text, first.first_line, first.last_line) == ("OSDI", "worth it", 1, 4)
    assert first.raw.splitlines() == [entry.raw for entry in LINES[:4]]
    assert other.title == OTHER
    accounted(database, import_id)
    carry_out(database, me, import_id)
    assert (count_of(database, Paper), count_of(database, Identifier)) == (2, 2)


def test_a_twin_merged_into_its_paper_is_no_longer_a_twin(database, me):
    twin = line(2, "mention", title=LONG, identifiers=(DOI,), twin=ARXIV, decision="review", reason="one work?")
    import_id = noted(database, me, line(1, title=LONG, identifiers=(ARXIV,)), twin)
    with database.write() as tx:
        join_entries(tx, me, import_id, [1, 2])
    [entry] = standing(database, import_id)
    assert (entry.twin, entry.identifiers) == ("", [ARXIV, DOI])
    carry_out(database, me, import_id)
    assert (count_of(database, Paper), count_of(database, Identifier)) == (1, 2)


@pytest.mark.parametrize("fields", [{"identifiers": tuple(f"arxiv:2401.{n:05}" for n in range(501))}, {"last": 501}])
def test_an_entry_too_large_to_split_is_not_split(database, me, fields):
    import_id = noted(database, me, line(1, title=LONG, **{"raw": "x\n" * 500 + "x", **fields}))
    before = content(database)
    with database.write() as tx, pytest.raises(Invalid, match="at most 500 lines or identifiers"):
        split_entry(tx, me, import_id, 1)
    assert content(database) == before


@cases(
    ("positions", "why"),
    [
        ([1], "2 to 100 entries"),
        ([1, 1], "2 to 100 entries"),
        ([1, 4], "the entry on line 3 too"),
        ([5, 6], "the entry on line 4 too"),
    ],
)
def test_an_impossible_merge_is_reported(database, me, positions, why):
    import_id = noted(database, me, *LINES, line(5))
    before = content(database)
    with database.write() as tx, pytest.raises(Invalid, match=why):
        join_entries(tx, me, import_id, positions)
    assert content(database) == before


@pytest.mark.both_databases
def test_merging_and_splitting_are_undone_completely(database, me):
    import_id = noted(database, me, BOTH, *(line(n, title=OTHER + str(n)) for n in (4, 5)))
    before = content(database)
    with database.write() as tx:
        made = split_entry(tx, me, import_id, 1)
        join_entries(tx, me, import_id, [made[-1], 2])
        correct_entry(tx, me, import_id, 3, edit=EntryUpdate(title="Corrected"))
    accounted(database, import_id)
    with database.write() as tx:
        assert reset_entry(tx, me, import_id, made[-1]) == [1, 2]
        assert reset_entry(tx, me, import_id, 3) == [3]
    assert content(database) == before
    accounted(database, import_id)


def test_a_merged_entry_no_longer_exists_on_its_own(database, me):
    import_id = noted(database, me, *LINES)
    with database.write() as tx:
        join_entries(tx, me, import_id, [1, 3])
    with database.write() as tx, pytest.raises(NotFound):
        correct_entry(tx, me, import_id, 3, edit=EntryUpdate(decision="skip"))
    with database.read() as tx:
        assert queries.list_preview_page(tx, import_id, after=3, limit=5)[0][0].position == 4


def test_nothing_is_split_or_merged_after_the_commit(database, me):
    import_id = noted(database, me, *LINES)
    carry_out(database, me, import_id)
    for deed in (lambda tx: split_entry(tx, me, import_id, 3), lambda tx: join_entries(tx, me, import_id, [1, 3])):
        with database.write() as tx, pytest.raises(Conflict, match="Already imported"):
            deed(tx)
    with database.write() as tx, pytest.raises(Conflict, match="Already imported"):
        reset_entry(tx, me, import_id, 1)


@pytest.mark.both_databases
def test_a_later_revision_keeps_merges_and_splits(database, me):
    import_id = noted(database, me, BOTH, line(4, "snippet", text=OTHER), line(5, identifiers=(THIRD,)))
    with database.write() as tx:
        split_entry(tx, me, import_id, 1)
        join_entries(tx, me, import_id, [2, 3])
    carry_out(database, me, import_id)
    before = count_of(database, Paper)
    later = noted(
        database, me, BOTH, line(4, "snippet", text=OTHER), line(5, identifiers=(THIRD,)), line(6, title="New")
    )
    assert [entry.decision for entry in entries_of(database, later)] == ["known", "known", "known", "add"]
    carry_out(database, me, later)
    assert count_of(database, Paper) == before + 1
    assert entries_of(database, later)[2].paper_id == entries_of(database, import_id)[1].paper_id


DEEDS = st.lists(st.tuples(st.sampled_from(["split", "join", "reset"]), st.integers(0, 9)), max_size=12)


@pytest.mark.deep
@settings(max_examples=examples(5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=DEEDS)
def test_every_line_is_accounted_for_after_any_merges_and_splits(sqlite_files, deeds):
    from readtrack.infra.db import Database  # noqa: PLC0415 - a library of its own for each example

    url = sqlite_files.copy()
    database = Database(url)
    with database.write() as tx:
        me = make.visitor(tx, role="editor")
    both = line(6, last=8, identifiers=(ARXIV, DOI), raw="a\n2401.00001\nb 10.1145/3627703.3650085 c")
    import_id = noted(database, me, *LINES, line(5, "snippet", text="x"), both, line(9, "question", title="Why?"))
    before = content(database)
    for word, at in deeds:
        rows = standing(database, import_id)
        position = rows[at % len(rows)].position
        following = rows[(at + 1) % len(rows)].position
        with database.write() as tx:
            try:
                {
                    "split": lambda: split_entry(tx, me, import_id, position),  # noqa: B023 - called at once
                    "join": lambda: join_entries(tx, me, import_id, [position, following]),  # noqa: B023
                    "reset": lambda: reset_entry(tx, me, import_id, position),  # noqa: B023
                }[word]()
            except Invalid:
                continue
        accounted(database, import_id)
    for row in standing(database, import_id):
        with database.write() as tx:
            if row.position in {one.position for one in queries.list_entries(tx, import_id)}:
                reset_entry(tx, me, import_id, row.position)
    assert content(database) == before
    database.dispose()
    sqlite_files.drop(url)
