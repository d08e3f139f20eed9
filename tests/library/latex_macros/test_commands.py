"""The team's words in formulas: added, changed, removed, brought back."""

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import errors
from readtrack.infra.models import Event, Macro
from readtrack.library.latex_macros.commands import MacroCreate, MacroUpdate, add_macro, change_macro, remove_macro
from readtrack.library.latex_macros.queries import MAX_MACROS, find_macros, list_macros
from readtrack.library.references.resolve import get_render_context
from readtrack.workspace.trash.restore import restore_item
from tests import make


@pytest.fixture
def ada(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="member")


@pytest.fixture
def loss(database, ada):
    with database.write() as tx:
        add_macro(tx, ada, MacroCreate(name="loss", body=r"\mathcal{L}"))


def refused(database, me, **wanted):
    with database.write() as tx, pytest.raises(errors.ReadtrackError) as found:
        add_macro(tx, me, MacroCreate(**wanted))
    return found.value


def test_a_macro_applies_to_every_text_with_a_formula(database, ada, loss):
    with database.write() as tx:
        add_macro(tx, ada, MacroCreate(name=r"\norm", body=r"\lVert #1 \rVert"))
    with database.read() as tx:
        assert get_render_context(tx, ["a $x$"]).macros == {"loss": r"\mathcal{L}", "norm": r"\lVert #1 \rVert"}
        assert get_render_context(tx, ["no formula"]).macros == {}
        assert [(row.name, row.person) for row in list_macros(tx)] == [("loss", "Ada"), ("norm", "Ada")]


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("frac", "x", "already exists"),
        ("bad", r"\frac{1", "Invalid LaTeX: At character"),
        ("bad", r"\nosuch", "Unknown command"),
        ("bad", r"\bad", "Too many expansions"),
        ("bad", "}", "Invalid LaTeX"),
        ("bad", "#", "Invalid LaTeX"),
        ("bad", "$x$", "Invalid LaTeX"),
        ("bad", r"\href{javascript:alert(1)}{x}", "Unknown command"),
    ],
)
def test_a_macro_that_cannot_be_rendered_is_refused_with_the_reason(database, ada, name, body, says):
    """A4"""
    error = refused(database, ada, name=name, body=body)
    assert isinstance(error, errors.Invalid)
    assert says in error.message
    with database.read() as tx:
        assert find_macros(tx) == {}


@pytest.mark.parametrize("name", ["", "a1", "loss function", "損失", r"\\a", "x" * 40, "<b>"])
def test_a_macro_name_has_letters_only(name):
    with pytest.raises(ValueError, match="MacroCreate"):
        MacroCreate(name=name, body="x")


def test_a_macro_name_is_unique(database, ada, loss):
    error = refused(database, ada, name="loss", body="x")
    assert isinstance(error, errors.Conflict)
    assert r"“\loss” already exists" in error.message


def test_the_number_of_macros_is_limited(database, ada):
    with database.write() as tx:
        names = [f"{first}{second}" for first in "abcdefghij" for second in "abcdefghijklmnopqrst"]
        tx.add_all([Macro(name=f"q{name}", body="x") for name in names[:MAX_MACROS]])
    assert f"Limit of {MAX_MACROS} reached" in refused(database, ada, name="further", body="x").message


def test_a_change_applies_everywhere_and_the_audit_trail_has_the_old_value(database, ada, loss):
    with database.write() as tx:
        change_macro(tx, ada, "loss", MacroUpdate(body=r"\ell"), previous_body=r"\mathcal{L}")
    with database.read() as tx:
        assert find_macros(tx) == {"loss": r"\ell"}
        event = tx.scalar(sa.select(Event).where(col(Event.verb) == "macro.changed"))
        assert event is not None
        assert (event.data, event.before) == ({"macro": r"\loss"}, {"body": r"\mathcal{L}"})


def test_a_change_based_on_a_stale_version_is_refused(database, ada, loss):
    with database.write() as tx, pytest.raises(errors.Conflict, match="Someone else edited this"):
        change_macro(tx, ada, "loss", MacroUpdate(body="x"), previous_body="y")


def test_a_removed_macro_is_restored_from_the_trash(database, ada, loss):
    with database.write() as tx:
        deed_id = remove_macro(tx, ada, "loss")
        assert find_macros(tx) == {}
        assert restore_item(tx, ada, "others", deed_id) == "/settings/macros"
        assert find_macros(tx) == {"loss": r"\mathcal{L}"}


def test_a_viewer_cannot_change_macros(database, loss):
    with database.write() as tx:
        viewer = make.visitor(tx, "Vi", role="viewer")
        with pytest.raises(errors.NotAllowed):
            add_macro(tx, viewer, MacroCreate(name="other", body="x"))
        with pytest.raises(errors.NotAllowed):
            change_macro(tx, viewer, "loss", MacroUpdate(body="x"))
        with pytest.raises(errors.NotAllowed):
            remove_macro(tx, viewer, "loss")
