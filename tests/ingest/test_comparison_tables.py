"""Tables of notes become tables of their topic when the notes are imported; lists of papers stay lists of papers."""

import pytest

from readtrack import search
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.ingest.comparison_tables import find_table_block, import_table
from readtrack.library.comparisons import queries
from readtrack.library.comparisons.commands import delete_comparison
from readtrack.library.topics.queries import find_id
from tests import make
from tests.sample_library import carry_out, entries_of, noted

TABLE = """| 機能 | K8s | Slurm |
|------|-----|-------|
| **Gang** | △（拡張） | ◎ |
| MIG | ◎ | ✕ |
"""
LEGEND = "\n**凡例**: ◎ 優秀、△ 限定的、✕ 不向き\n"
NOTES = f"# Schedulers\n\n{TABLE}{LEGEND}"


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        return make.visitor(tx, "Ada", role="editor")


def imported(database, me, text, title="Notes", **defaults):
    import_id = noted(database, me, text, title)
    carry_out(database, me, import_id, **defaults)
    return import_id


def tables_of(database, me, topic):
    with database.read() as tx:
        return queries.list_comparisons(tx, me, find_id(tx, topic))


def test_a_table_is_saved_under_the_topic_of_its_heading_with_its_legend(database, ada):
    imported(database, ada, NOTES)
    [table] = tables_of(database, ada, "Schedulers")
    assert table.title == "機能 · K8s · Slurm"
    assert list(table.grid.columns) == ["機能", "K8s", "Slurm"]
    assert [row.cells for row in table.rows] == [["Gang", "△（拡張）", "◎"], ["MIG", "◎", "✕"]]
    assert table.scale == [("◎", "優秀"), ("△", "限定的"), ("✕", "不向き")]
    assert table.note is not None
    assert table.note[2] == 3


def test_a_legend_may_be_above_the_table(database, ada):
    imported(database, ada, f"# Schedulers\n\n◎: fine, △: so so, ✕: poor\n\n{TABLE}")
    [table] = tables_of(database, ada, "Schedulers")
    assert table.legend == [("◎", "fine"), ("△", "so so"), ("✕", "poor")]


def test_rows_naming_papers_are_linked_to_them(database, ada):
    with database.write() as tx:
        known = make.paper(tx, "Gemini: Fast Failure Recovery in Distributed Training", identifier="doi:10.1145/1.2")
        search.update_papers(tx, [known.id])
    rows = (
        "| Of | Speed |\n|---|---|\n| arXiv:2305.15778 | ◎ |\n| plain | △ |\n| other | ○ |\n"
        "| Gemini: Fast Failure Recovery in Distributed Training | ✕ |\n"
    )
    imported(database, ada, f"# Recovery\n\n{rows}")
    [table] = tables_of(database, ada, "Recovery")
    found, *none, last = [row.paper_id for row in table.rows]
    assert found is not None
    assert (none, last) == ([None, None], known.id)


def test_a_list_of_papers_is_not_a_comparison(database, ada):
    listed = "".join(f"| A Story of Caches, Part {n} | https://arxiv.org/abs/2305.1577{n} |\n" for n in range(3))
    imported(database, ada, f"# Caches\n\n| Title | Link |\n|---|---|\n{listed}")
    assert tables_of(database, ada, "Caches") == []


def test_importing_the_same_notes_or_a_later_revision_adds_no_second_table(database, ada):
    imported(database, ada, NOTES)
    imported(database, ada, f"{NOTES}\nA further line.\n")
    imported(database, ada, NOTES.replace("| MIG | ◎ | ✕ |", "| MIG | ◎ | △ |"))
    [table] = tables_of(database, ada, "Schedulers")
    assert table.rows[1].cells == ["MIG", "◎", "✕"]


def test_importing_notes_does_not_restore_a_deleted_table(database, ada):
    imported(database, ada, NOTES)
    [table] = tables_of(database, ada, "Schedulers")
    with database.write() as tx:
        delete_comparison(tx, ada, table.id)
    imported(database, ada, f"{NOTES}\nA further line.\n")
    assert tables_of(database, ada, "Schedulers") == []


def test_a_table_without_a_heading_goes_to_the_topic_of_the_import(database, ada):
    imported(database, ada, TABLE, topics=["Clusters"])
    assert len(tables_of(database, ada, "Clusters")) == 1


def entry_of(database, import_id):
    return next(entry.id for entry in entries_of(database, import_id) if entry.kind == "table")


def test_a_table_without_a_topic_stays_in_the_notes_until_somebody_saves_it(database, ada):
    entry_id = entry_of(database, imported(database, ada, TABLE + LEGEND))
    with database.write() as tx:
        import_table(tx, ada, entry_id, "Clusters")
    [table] = tables_of(database, ada, "Clusters")
    assert table.scale[0] == ("◎", "優秀")
    with database.write() as tx, pytest.raises(Conflict, match="already"):
        import_table(tx, ada, entry_id, "Clusters")


def test_an_invalid_or_oversized_table_is_not_saved(database, ada):
    wide = " | ".join(str(number) for number in range(31))
    import_id = imported(database, ada, f"# Wide\n\n| {wide} |\n|{'---|' * 31}\n| {wide} |\n")
    assert tables_of(database, ada, "Wide") == []
    with database.write() as tx:
        with pytest.raises(Invalid, match="30 columns"):
            import_table(tx, ada, entry_of(database, import_id), "Wide")
        with pytest.raises(NotFound):
            import_table(tx, ada, make.entry(tx, "plain", kind="table", title="plain").id, "Wide")
        with pytest.raises(NotFound):
            import_table(tx, ada, 999_999, "Wide")


def test_a_table_in_a_block_quote_is_found_by_any_of_its_lines():
    lines = ["Words.", "> | Of | Cost |", "> |---|---|", "> | Ours | ○ |", "", "After."]
    block = find_table_block(lines, 4)
    assert block is not None
    assert (block.grid.rows, block.lines) == ([["Ours", "○"]], [4])
    assert find_table_block(lines, 1) is None
    assert find_table_block(lines, 99) is None
