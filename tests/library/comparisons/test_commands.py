"""Tables are made, changed, deleted and brought back; their rows stay with papers that are merged."""

from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Comparison, Event, UndoEntry
from readtrack.infra.permissions import CurrentUser
from readtrack.library.comparisons import commands, queries
from readtrack.library.comparisons.commands import ComparisonFields
from readtrack.library.duplicates.merge import merge_papers, unmerge_paper
from readtrack.library.topics.merge import merge_topics
from readtrack.workspace.trash.restore import restore_item
from tests import make

SCALE = [{"sign": "◎", "meaning": "fine"}, {"sign": "△", "meaning": "so so"}, {"sign": "✕"}]


def table(**changes: Any) -> ComparisonFields:
    said: dict[str, Any] = {
        "title": "Schedulers",
        "columns": ["Of", "K8s", "Slurm"],
        "rows": [{"cells": ["Gangs", "△ hard", "◎"]}, {"cells": ["Nodes", "◎", "✕"]}],
        "scale": SCALE,
    }
    return ComparisonFields.model_validate({**said, **changes})


@pytest.fixture
def ada(database):
    with database.write() as tx:
        search.ensure(tx)
        make.topic(tx, "Clusters")
        return make.visitor(tx, "Ada", role="editor")


def added(database, me, **changes):
    with database.write() as tx:
        return commands.add_comparison(tx, me, "clusters", table(**changes)).id


def shown(database, me, comparison_id):
    with database.read() as tx:
        return queries.get_comparison(tx, me, comparison_id)


def test_a_table_is_shown_as_it_was_saved(database, ada):
    found = shown(database, ada, added(database, ada))
    assert (found.topic, found.title, found.columns, found.version) == (
        "clusters",
        "Schedulers",
        ["Of", "K8s", "Slurm"],
        1,
    )
    assert [row.cells for row in found.rows] == [["Gangs", "△ hard", "◎"], ["Nodes", "◎", "✕"]]
    assert found.legend == [("◎", "fine"), ("△", "so so"), ("✕", "no")]
    first = found.split_cells(found.rows[0])
    assert [(cell.sign, cell.meaning, cell.text) for cell in first] == [
        ("", "", "Gangs"),
        ("△", "so so", " hard"),
        ("◎", "fine", ""),
    ]


def test_rows_are_sorted_by_the_scale_then_numbers_then_words(database, ada):
    cells = ["b", "✕", "10", "", "◎ a", "9", "a", "△"]
    rows = [{"cells": [str(place), cell, ""]} for place, cell in enumerate(cells)]
    found = shown(database, ada, added(database, ada, rows=rows))
    assert [row.cells[1] for row in found.sort_rows(1)] == ["◎ a", "△", "✕", "9", "10", "a", "b", ""]
    assert [row.cells[1] for row in found.sort_rows(1, reverse=True)] == ["b", "a", "10", "9", "✕", "△", "◎ a", ""]
    assert [row.cells[1] for row in found.sort_rows(7)] == cells


def test_a_newer_table_is_not_overwritten(database, ada):
    number = added(database, ada)
    with database.write() as tx:
        commands.edit_comparison(tx, ada, number, table(title="Theirs"), version=1)
    with database.write() as tx, pytest.raises(StaleVersion) as stale:
        commands.edit_comparison(tx, ada, number, table(title="Mine"), version=1)
    assert "| Gangs | △ hard | ◎ |" in str(stale.value.current)
    assert (shown(database, ada, number).title, shown(database, ada, number).version) == ("Theirs", 2)
    with database.read() as tx:
        [before] = tx.scalars(sa.select(col(Event.before)).where(col(Event.verb) == "comparison.edited"))
    assert before["table"] == table().model_dump()


def test_a_table_submitted_twice_is_saved_once(database, ada):
    number = added(database, ada)
    for _ in range(2):
        with database.write() as tx:
            commands.edit_comparison(tx, ada, number, table(title="Newer"), version=1)
    assert shown(database, ada, number).version == 2
    with database.read() as tx:
        assert len(tx.scalars(sa.select(col(Event.id)).where(col(Event.verb) == "comparison.edited")).all()) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": [{"cells": ["too", "few"]}]},
        {"columns": []},
        {"columns": ["x"] * 31},
        {"rows": [{"cells": ["", "", "x" * 501]}]},
        {"rows": [{"cells": ["", "", ""]}] * 201},
        {"title": " "},
        {"scale": [{"sign": "○"}, {"sign": "◯"}]},
    ],
)
def test_an_oversized_or_malformed_table_is_refused(wrong):
    with pytest.raises(ValueError, match=r"cells|items|characters|character|twice|item"):
        table(**wrong)


def test_a_row_is_about_a_paper_that_exists_or_existed_before(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, "On gangs")
        gone = make.paper(tx, deleted_at=now())
    rows = [{"cells": ["Gangs", "", ""], "paper": paper.id}]
    number = added(database, ada, rows=rows)
    assert shown(database, ada, number).rows[0].title == "On gangs"
    with database.write() as tx, pytest.raises(Invalid, match=f"Paper {gone.id} not found"):
        commands.add_comparison(tx, ada, "clusters", table(rows=[{"cells": ["", "", ""], "paper": gone.id}]))
    with database.write() as tx:
        tx.get_one(type(paper), paper.id).deleted_at = now()
    with database.write() as tx:
        commands.edit_comparison(tx, ada, number, table(rows=rows), version=1)
    row = shown(database, ada, number).rows[0]
    assert (row.paper_id, row.title) == (paper.id, None)


def test_a_deleted_table_is_restored_with_its_rows(database, ada):
    with database.write() as tx:
        paper = make.paper(tx, "On gangs")
    number = added(database, ada, rows=[{"cells": ["Gangs", "", "◎"], "paper": paper.id}])
    with database.write() as tx:
        deed = commands.delete_comparison(tx, ada, number)
    with database.read() as tx, pytest.raises(NotFound):
        queries.get_comparison(tx, ada, number)
    with database.write() as tx:
        address = restore_item(tx, ada, "others", deed)
    back = shown(database, ada, int(address.rpartition("/")[2]))
    assert (back.title, back.rows[0].cells, back.rows[0].paper_id) == ("Schedulers", ["Gangs", "", "◎"], paper.id)
    with database.read() as tx:
        assert tx.get_one(UndoEntry, deed).undone_at is not None


def test_a_table_whose_topic_was_deleted_stays_in_the_trash(database, ada):
    number = added(database, ada)
    with database.write() as tx:
        deed = commands.delete_comparison(tx, ada, number)
        make.topic(tx, "Machines")
        merge_topics(tx, ada, "clusters", "machines")
    with database.write() as tx, pytest.raises(Conflict, match="topic no longer exists"):
        restore_item(tx, ada, "others", deed)


def test_rows_move_with_a_merged_paper_and_back(database, ada):
    with database.write() as tx:
        one, other = make.paper(tx, "One"), make.paper(tx, "Other")
    number = added(database, ada, rows=[{"cells": ["Gangs", "", ""], "paper": one.id}])
    with database.write() as tx:
        merge_papers(tx, ada, one.id, into_id=other.id)
    assert shown(database, ada, number).rows[0].paper_id == other.id
    with database.write() as tx:
        unmerge_paper(tx, ada, one.id)
    assert shown(database, ada, number).rows[0].paper_id == one.id


def test_tables_move_with_a_merged_topic_and_back(database, ada):
    number = added(database, ada)
    with database.write() as tx:
        make.topic(tx, "Machines")
        _, deed = merge_topics(tx, ada, "clusters", "machines")
    assert shown(database, ada, number).topic == "machines"
    with database.write() as tx:
        restore_item(tx, ada, "others", deed)
    assert shown(database, ada, number).topic == "clusters"


def test_a_form_submitted_twice_creates_one_table(database, ada):
    with database.write() as tx:
        made = {commands.add_comparison_once(tx, ada, "clusters", table()).id for _ in range(2)}
        other = commands.add_comparison_once(tx, ada, "clusters", table(title="Others"))
    assert len(made) == 1
    assert other.id not in made


def test_a_viewer_cannot_edit(database, ada):
    number, reader = added(database, ada), CurrentUser(99, "Reader", "viewer")
    assert shown(database, reader, number).title == "Schedulers"
    with database.write() as tx:
        for act in (
            lambda: commands.add_comparison(tx, reader, "clusters", table()),
            lambda: commands.edit_comparison(tx, reader, number, table(), version=1),
            lambda: commands.delete_comparison(tx, reader, number),
        ):
            with pytest.raises(NotAllowed):
                act()


def test_a_topic_with_many_tables_takes_the_same_few_statements(database, ada, statements):
    def cost():
        with statements() as seen, database.read() as tx:
            topic = queries.get_comparison(tx, ada, first).topic
            assert topic == "clusters"
            queries.list_comparisons(tx, ada, 1)
        return len(seen)

    first = added(database, ada)
    one = cost()
    for _ in range(4):
        added(database, ada)
    assert cost() == one


def test_a_topic_page_reads_only_the_cells_it_shows(database, ada):
    rows = [{"cells": [f"[[Thing {number}]]", "yes"]} for number in range(queries.FIRST_ROWS + 5)]
    added(database, ada, columns=["What", "Good"], rows=rows, scale=[])
    with database.read() as tx:
        topic_id = tx.scalar(sa.select(col(Comparison.topic_id)))
        among = queries.get_topic_comparisons(tx, ada, topic_id).render_context
    assert [*among.references] == [f"[[Thing {number}]]" for number in range(queries.FIRST_ROWS)]


def test_the_id_of_a_deleted_table_is_not_reused(database, ada):
    first = added(database, ada)
    with database.write() as tx:
        commands.delete_comparison(tx, ada, first)
    assert added(database, ada, title="Another") != first
