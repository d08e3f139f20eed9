"""Verbs of saved views: who may save, change, share, move and delete them, and who learns of it."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import Conflict, Invalid, NotAllowed, NotFound, StaleVersion
from readtrack.infra.models import Event, SavedSearch
from readtrack.workspace.saved_searches import commands, queries
from readtrack.workspace.saved_searches.commands import SavedSearchFields, SavedSearchMove
from tests import make


@pytest.fixture
def people(database):
    with database.write() as tx:
        roles = ("member", "member", "editor", "viewer")
        return [
            make.visitor(tx, name, role=role) for name, role in zip(("Ada", "Bo", "Edith", "Vi"), roles, strict=True)
        ]


def saved(database, me, name="Unread", **fields):
    with database.write() as tx:
        return commands.save_view(tx, me, SavedSearchFields(name=name, **fields))


def names(database, me):
    with database.read() as tx:
        return [view.name for view in queries.list_views(tx, me)]


def verbs(database):
    with database.read() as tx:
        return [
            tuple(row) for row in tx.execute(sa.select(col(Event.verb), col(Event.private)).order_by(col(Event.id)))
        ]


def test_a_private_saved_search_does_not_exist_for_others(database, people):
    ada, bo, edith, _ = people
    view_id = saved(database, ada, q="status:to_read")
    assert (names(database, ada), names(database, bo), names(database, edith)) == (["Unread"], [], [])
    for other in (bo, edith):
        with database.write() as tx, pytest.raises(NotFound):
            commands.edit_view(tx, other, view_id, SavedSearchFields(name="Mine now"), version=1)
        with database.write() as tx, pytest.raises(NotFound):
            commands.delete_view(tx, other, view_id)
        with database.write() as tx, pytest.raises(NotFound):
            commands.make_feed(tx, other, view_id)
    assert verbs(database) == [("view.saved", True)]


def test_a_shared_saved_search_is_changed_by_its_owner_and_editors_only(database, people):
    ada, bo, edith, _ = people
    view_id = saved(database, ada, shared=True)
    assert names(database, bo) == ["Unread"]
    with database.write() as tx, pytest.raises(NotAllowed):
        commands.edit_view(tx, bo, view_id, SavedSearchFields(name="His", shared=True), version=1)
    with database.write() as tx:
        commands.edit_view(tx, edith, view_id, SavedSearchFields(name="Hers", shared=True), version=1)
    assert names(database, ada) == ["Hers"]
    assert verbs(database) == [("view.saved", False), ("view.edited", False)]


def test_viewers_save_private_searches_but_cannot_share_them(database, people):
    viewer = people[3]
    view_id = saved(database, viewer)
    assert names(database, viewer) == ["Unread"]
    for share in (
        lambda tx: commands.share_view(tx, viewer, view_id, shared=True),
        lambda tx: commands.save_view(tx, viewer, SavedSearchFields(name="Ours", shared=True)),
        lambda tx: commands.edit_view(tx, viewer, view_id, SavedSearchFields(name="Ours", shared=True), version=1),
    ):
        with database.write() as tx, pytest.raises(NotAllowed):
            share(tx)


def test_a_saved_search_made_private_again_reveals_nothing_new(database, people):
    ada, bo, *_ = people
    view_id = saved(database, ada, "Open name", shared=True)
    with database.write() as tx:
        commands.edit_view(tx, ada, view_id, SavedSearchFields(name="Secret name", q="tag"), version=1)
    assert names(database, bo) == []
    with database.read() as tx:
        told = [
            repr((e.data, e.before, e.after)) for e in tx.scalars(sa.select(Event).where(sa.not_(col(Event.private))))
        ]
    assert not [text for text in told if "Secret" in text or "tag" in text]


def test_sharing_a_saved_search_does_not_reveal_its_past(database, people):
    ada = people[0]
    view_id = saved(database, ada, "Secret name", q="xylophone")
    with database.write() as tx:
        commands.edit_view(tx, ada, view_id, SavedSearchFields(name="Ours", q="ours", shared=True), version=1)
    with database.read() as tx:
        [event] = tx.scalars(sa.select(Event).where(sa.not_(col(Event.private))))
    assert (event.verb, event.data["name"], event.before) == ("view.shared", "Ours", None)


def test_saving_a_stale_version_is_refused(database, people):
    ada = people[0]
    view_id = saved(database, ada)
    with database.write() as tx:
        commands.edit_view(tx, ada, view_id, SavedSearchFields(name="Second"), version=1)
    with database.write() as tx, pytest.raises(StaleVersion):
        commands.edit_view(tx, ada, view_id, SavedSearchFields(name="Third"), version=1)
    assert names(database, ada) == ["Second"]


def test_mine_come_in_my_order_before_those_of_others(database, people):
    ada, bo, *_ = people
    saved(database, bo, "Theirs", shared=True)
    ids = {name: saved(database, ada, name) for name in ("One", "Two", "Three")}
    for name, to, order in (
        ("Three", "up", ["One", "Three", "Two", "Theirs"]),
        ("Three", "top", ["Three", "One", "Two", "Theirs"]),
        ("Three", "up", ["Three", "One", "Two", "Theirs"]),
        ("Three", "bottom", ["One", "Two", "Three", "Theirs"]),
        ("One", "down", ["Two", "One", "Three", "Theirs"]),
    ):
        with database.write() as tx:
            commands.move_view(tx, ada, ids[name], SavedSearchMove(to=to))
        assert names(database, ada) == order
    saved(database, ada, "Four")
    assert names(database, ada)[-2:] == ["Four", "Theirs"]


def test_only_ones_own_saved_searches_can_be_moved(database, people):
    ada, bo, *_ = people
    view_id = saved(database, bo, shared=True)
    with database.write() as tx, pytest.raises(NotFound):
        commands.move_view(tx, ada, view_id, SavedSearchMove(to="up"))


def test_a_deleted_saved_search_is_restored_to_its_position(database, people):
    ada, bo, *_ = people
    first, _second = saved(database, ada, "One"), saved(database, ada, "Two")
    with database.write() as tx:
        commands.delete_view(tx, ada, first)
    assert names(database, ada) == ["Two"]
    with database.write() as tx, pytest.raises(NotFound):
        commands.edit_view(tx, ada, first, SavedSearchFields(name="No"), version=1)
    with database.write() as tx, pytest.raises(NotFound):
        commands.restore_view(tx, bo, first)
    with database.write() as tx:
        commands.restore_view(tx, ada, first)
        commands.restore_view(tx, ada, first)  # again: nothing more happens
    assert names(database, ada) == ["One", "Two"]
    assert [verb for verb, _ in verbs(database)][-2:] == ["view.deleted", "view.restored"]


def test_a_double_click_saves_one_search(database, people):
    ada = people[0]
    with database.write() as tx:
        once = [commands.save_view_once(tx, ada, SavedSearchFields(name="Unread", q="a")) for _ in range(2)]
        other = commands.save_view_once(tx, ada, SavedSearchFields(name="Unread", q="b"))
    assert once[0] == once[1] != other


def test_a_person_has_at_most_a_hundred_saved_searches(database, people):
    ada = people[0]
    with database.write() as tx:
        for number in range(commands.MAX_SEARCHES):
            make.added(tx, SavedSearch(person_id=ada.id, name=f"View {number}"))
        with pytest.raises(Conflict, match="limit of 100 saved searches"):
            commands.save_view(tx, ada, SavedSearchFields(name="One more"))


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"name": "  "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"q": "(unclosed"}, "q"),
        ({"q": "x" * 2_001}, "q"),
        ({"sort": "colour"}, "sort"),
        ({"sort": "year-sideways"}, "sort"),
        ({"display": "cube"}, "display"),
        ({"grouping": "mood"}, "grouping"),
        ({"columns": ["mood"]}, "columns"),
        ({"position": 1}, "position"),
    ],
)
def test_an_invalid_query_cannot_be_saved(fields, wrong):
    with pytest.raises(ValidationError) as refused:
        SavedSearchFields.model_validate({"name": "A view", **fields})
    assert refused.value.errors()[0]["loc"][0] == wrong


@pytest.mark.parametrize("q", ["x" * 2_000, " ".join(["year:>2020"] * 49), "學 " * 40 + "sort:year"])
def test_any_valid_query_can_be_saved_repeatedly(q):
    kept = SavedSearchFields.model_validate({"name": "A view", "q": q}).q
    assert SavedSearchFields.model_validate({"name": "A view", "q": kept}).q == kept


def test_a_list_takes_a_query_or_a_saved_search_but_not_both(database, people):
    ada, bo, *_ = people
    view_id = saved(database, ada, q="checkpoint", sort="year")
    with database.read() as tx:
        assert queries.resolve_saved_search(tx, ada, view_id, q="", sort="") == ("checkpoint", "year")
        assert queries.resolve_saved_search(tx, ada, view_id, q="", sort="title") == ("checkpoint", "title")
        assert queries.resolve_saved_search(tx, ada, None, q=" words ") == ("words", "")
        with pytest.raises(Invalid):
            queries.resolve_saved_search(tx, ada, view_id, q="words")
        with pytest.raises(NotFound):
            queries.resolve_saved_search(tx, bo, view_id, q="")


def test_the_count_of_a_saved_search_depends_on_the_person(database, people):
    ada, bo, *_ = people
    saved(database, ada, q="status:to_read", shared=True)
    with database.write() as tx:
        paper = make.paper(tx)
        make.reading(tx, bo.id, paper.id, "to_read", private=True)
    with database.read() as tx:
        views = queries.list_views(tx, ada)
        assert [*queries.count_papers(tx, ada, views).values()] == ["0"]
        assert [*queries.count_papers(tx, bo, views).values()] == ["1"]


def test_counts_stop_at_their_limit(database, people, monkeypatch, statements):
    ada = people[0]
    monkeypatch.setattr(queries, "MAX_COUNTED", 2)
    for number in range(3):
        saved(database, ada, f"All {number}")
    with database.write() as tx:
        view = make.added(tx, SavedSearch(person_id=ada.id, name="Old", q="(cannot be read"))
        for _ in range(3):
            make.paper(tx)
    with database.read() as tx:
        views = queries.list_views(tx, ada)
        with statements() as seen:
            counts = queries.count_papers(tx, ada, views)
    assert len(seen) == 1
    assert view.id not in counts
    assert {*counts.values()} == {"2+"}


def test_a_saved_search_can_be_restored_for_thirty_days_on_the_page_and_through_the_api(database, people):
    ada = people[0]
    with time_machine.travel(now() - timedelta(days=30, minutes=1), tick=False):
        view_id = saved(database, ada)
        with database.write() as tx:
            commands.delete_view(tx, ada, view_id)
    with database.write() as tx, pytest.raises(NotFound):
        commands.restore_view(tx, ada, view_id)
    with database.read() as tx:
        assert queries.find_view(tx, ada, view_id) is None
