"""Comparisons in a browser: one table in any order, the grid in which it is changed, and tables kept from notes."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack import formulas, policy
from readtrack.comparisons import commands, forms, queries, typed
from readtrack.comparisons.forms import Typed
from readtrack.comparisons.queries import ComparisonDetail
from readtrack.comparisons.taking import keep_table
from readtrack.errors import Invalid, Stale
from readtrack.languages import gettext as _
from readtrack.references.queries import find_around
from readtrack.topics.queries import get_topic
from readtrack.web.forms import Form, whole
from readtrack.web.routers import page_router
from readtrack.web.templating import go, render
from readtrack.web.transactions import ReadTx, WriteTx
from readtrack.web.visitor import Me

router = page_router()
HERE = "/comparisons/{comparison_id:int}"


@router.get(HERE)
def show_page(request: Request, comparison_id: int, me: Me, tx: ReadTx, by: str = "", order: str = "") -> Response:
    """One table; `by`: the column that it is sorted by, from 1; `order`: worst for the worst first."""
    table = queries.get_comparison(tx, me, comparison_id)
    around = find_around(tx, table.texts)
    return render(request, "comparisons/show.html", table=table, by=whole(by), order=order, around=around)


@router.get(HERE + ".csv")
def as_csv(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """For spreadsheets."""
    table = queries.get_comparison(tx, me, comparison_id)
    name = {"Content-Disposition": f'attachment; filename="table-{comparison_id}.csv"'}
    return Response(typed.as_csv(table.grid), media_type=formulas.MEDIA_TYPE, headers=name)


@router.get(HERE + ".md")
def as_markdown(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """To be pasted elsewhere."""
    table = queries.get_comparison(tx, me, comparison_id)
    return Response(typed.as_markdown(table.grid), media_type="text/markdown; charset=utf-8")


@router.get("/topics/{slug}/comparisons/new")
def new_page(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """An empty grid."""
    policy.require(me, "edit")
    topic = get_topic(tx, me, slug)
    return _form(request, (slug, topic.row.name), None, forms.EMPTY)


@router.post("/topics/{slug}/comparisons")
def create(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Makes the table, or changes the form as one of its buttons says; 422 with the form kept."""
    policy.require(me, "edit")
    said, topic = forms.typed_of(fields), get_topic(tx, me, slug)
    here = slug, topic.row.name
    if forms.is_change(fields.get("do")):
        return _changed(request, here, None, said, tx=tx, act=fields.get("do"))
    wanted, errors = forms.made_of(tx, said)
    if wanted is None:
        return _form(request, here, None, said, errors=errors, status=422)
    table = commands.add_comparison_once(tx, me, slug, wanted)
    return go(request, f"/comparisons/{table.id}", _("The table is made."))


@router.get(HERE + "/edit")
def edit_page(request: Request, comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """The grid with what stands there now."""
    policy.require(me, "edit")
    table = queries.get_comparison(tx, me, comparison_id)
    return _form(request, (table.topic, table.topic_name), table, forms.shown_of(table), version=table.version)


@router.post(HERE + "/edit")
def edit(request: Request, comparison_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Saves the table, or changes the form; 409 with theirs below mine when somebody saved in between."""
    policy.require(me, "edit")
    said = forms.typed_of(fields)
    request.state.written = {"markdown": forms.as_markdown(said)}  # should the table be gone meanwhile
    table = queries.get_comparison(tx, me, comparison_id)
    here, version = (table.topic, table.topic_name), whole(fields.get("version"))
    if forms.is_change(fields.get("do")):
        return _changed(request, here, table, said, tx=tx, act=fields.get("do"), version=version)
    known = {row.paper_id for row in table.rows if row.paper_id}
    wanted, errors = forms.made_of(tx, said, known=known)
    if wanted is None:
        return _form(request, here, table, said, errors=errors, status=422, version=version)
    try:
        commands.edit_comparison(tx, me, comparison_id, wanted, version=version)
    except Stale:
        newer = queries.get_comparison(tx, me, comparison_id)
        return _form(request, here, newer, said, status=409, version=newer.version)
    return go(request, f"/comparisons/{comparison_id}", _("Saved."))


@router.post(HERE + "/delete")
def delete(request: Request, comparison_id: int, me: Me, tx: WriteTx) -> Response:
    """Takes the table away, with a way back."""
    table = queries.get_comparison(tx, me, comparison_id)
    deed_id = commands.delete_comparison(tx, me, comparison_id)
    undo = (_("Bring back"), f"/trash/others/{deed_id}/restore")
    return go(request, f"/topics/{table.topic}", _("The table is in the trash, for 30 days."), undo=undo)


@router.post("/notes/entries/{entry_id:int}/table")
def keep(request: Request, entry_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Lines of notes become a table of the topic that the form names."""
    table = keep_table(tx, me, entry_id, fields.get("topic"))
    return go(request, f"/comparisons/{table.id}", _("Kept as a table of this topic. The notes stay as they are."))


def _changed(
    request: Request,
    here: tuple[str, str],
    table: ComparisonDetail | None,
    said: Typed,
    *,
    tx: ReadTx,
    act: str,
    version: int = 0,
) -> Response:
    """The form after one of its buttons; nothing is saved."""
    try:
        return _form(request, here, table, forms.changed(tx, said, act), version=version)
    except Invalid as problem:
        errors = {"pasted": problem.message}
        return _form(request, here, table, said, errors=errors, status=422, version=version)


def _form(
    request: Request,
    here: tuple[str, str],
    table: ComparisonDetail | None,
    said: Typed,
    *,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
    version: int = 0,
) -> Response:
    theirs = forms.as_markdown(forms.shown_of(table)) if table and status == 409 else ""
    context = {**forms.context_of(said, errors or {}), "within": here, "table": table, "theirs": theirs}
    return render(request, "comparisons/edit.html", status, version=version, **context)
