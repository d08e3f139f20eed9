"""Pages for comparison tables: show, edit, and create from notes."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.errors import Invalid, StaleVersion
from readtrack.infra.i18n import gettext as _
from readtrack.infra.text import csv
from readtrack.ingest.comparison_tables import import_table
from readtrack.library.comparisons import commands, parse_table, queries
from readtrack.library.comparisons.queries import ComparisonDetail
from readtrack.library.references.resolve import get_render_context
from readtrack.library.topics.queries import get_topic
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, parse_int
from readtrack.web.pages import comparison_form
from readtrack.web.pages.comparison_form import ComparisonForm
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
HERE = "/comparisons/{comparison_id:int}"


@router.get(HERE)
def show_page(request: Request, comparison_id: int, me: Me, tx: ReadTx, by: str = "", order: str = "") -> Response:
    """Show a table. `by`: column to sort by, from 1; `order`: "worst" to reverse the order."""
    table = queries.get_comparison(tx, me, comparison_id)
    render_context = get_render_context(tx, table.texts)
    return render(
        request, "comparisons/show.html", table=table, by=parse_int(by), order=order, render_context=render_context
    )


@router.get(HERE + ".csv")
def as_csv(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Return the table as CSV."""
    table = queries.get_comparison(tx, me, comparison_id)
    name = {"Content-Disposition": f'attachment; filename="table-{comparison_id}.csv"'}
    return Response(parse_table.as_csv(table.grid), media_type=csv.MEDIA_TYPE, headers=name)


@router.get(HERE + ".md")
def as_markdown(comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Return the table as Markdown."""
    table = queries.get_comparison(tx, me, comparison_id)
    return Response(parse_table.as_markdown(table.grid), media_type="text/markdown; charset=utf-8")


@router.get("/topics/{slug}/comparisons/new")
def new_page(request: Request, slug: str, me: Me, tx: ReadTx) -> Response:
    """Show an empty form."""
    permissions.require(me, "edit")
    topic = get_topic(tx, me, slug)
    return _form(request, (slug, topic.row.name), None, comparison_form.EMPTY_GRID)


@router.post("/topics/{slug}/comparisons")
def create(request: Request, slug: str, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create the table, or apply a button of the form; errors show the form again with 422."""
    permissions.require(me, "edit")
    form, topic = comparison_form.grid_from_form(fields), get_topic(tx, me, slug)
    topic_link = slug, topic.row.name
    if comparison_form.is_grid_button(fields.get("do")):
        return _render_grid_change(request, topic_link, None, form, tx=tx, button=fields.get("do"))
    data, errors = comparison_form.comparison_from_grid(tx, me, form)
    if data is None:
        return _form(request, topic_link, None, form, errors=errors, status=422)
    table = commands.add_comparison_once(tx, me, slug, data)
    return redirect_with_flash(request, f"/comparisons/{table.id}", _("Table created"))


@router.get(HERE + "/edit")
def edit_page(request: Request, comparison_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current table."""
    permissions.require(me, "edit")
    table = queries.get_comparison(tx, me, comparison_id)
    return _form(
        request,
        (table.topic, table.topic_name),
        table,
        comparison_form.grid_from_comparison(table),
        version=table.version,
    )


@router.post(HERE + "/edit")
def edit(request: Request, comparison_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the table, or apply a button of the form; show both versions with 409 on a conflict."""
    permissions.require(me, "edit")
    form = comparison_form.grid_from_form(fields)
    # Shown by the error page if the table is gone
    request.state.written = {"markdown": comparison_form.grid_to_markdown(form)}
    table = queries.get_comparison(tx, me, comparison_id)
    topic_link, version = (table.topic, table.topic_name), parse_int(fields.get("version"))
    if comparison_form.is_grid_button(fields.get("do")):
        return _render_grid_change(request, topic_link, table, form, tx=tx, button=fields.get("do"), version=version)
    known_papers = {row.paper_id for row in table.rows if row.paper_id}
    data, errors = comparison_form.comparison_from_grid(tx, me, form, known_papers=known_papers)
    if data is None:
        return _form(request, topic_link, table, form, errors=errors, status=422, version=version)
    try:
        commands.edit_comparison(tx, me, comparison_id, data, version=version)
    except StaleVersion:
        current = queries.get_comparison(tx, me, comparison_id)
        return _form(request, topic_link, current, form, status=409, version=current.version)
    return redirect_with_flash(request, f"/comparisons/{comparison_id}", _("Saved"))


@router.post(HERE + "/delete")
def delete(request: Request, comparison_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete the table and offer undo."""
    table = queries.get_comparison(tx, me, comparison_id)
    undo_id = commands.delete_comparison(tx, me, comparison_id)
    undo = (_("Restore"), f"/trash/others/{undo_id}/restore")
    return redirect_with_flash(request, f"/topics/{table.topic}", _("Moved to trash"), undo=undo)


@router.post("/notes/entries/{entry_id:int}/table")
def keep(request: Request, entry_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Create a table from an entry of notes in the topic named in the form."""
    table = import_table(tx, me, entry_id, fields.get("topic"))
    return redirect_with_flash(request, f"/comparisons/{table.id}", _("Table created"))


def _render_grid_change(
    request: Request,
    topic_link: tuple[str, str],
    table: ComparisonDetail | None,
    form: ComparisonForm,
    *,
    tx: ReadTx,
    button: str,
    version: int = 0,
) -> Response:
    """Show the form after a button was applied; nothing is saved."""
    try:
        return _form(request, topic_link, table, comparison_form.apply_button(tx, form, button), version=version)
    except Invalid as error:
        errors = {"pasted": error.message}
        return _form(request, topic_link, table, form, errors=errors, status=422, version=version)


def _form(
    request: Request,
    topic_link: tuple[str, str],
    table: ComparisonDetail | None,
    form: ComparisonForm,
    *,
    errors: Mapping[str, str] | None = None,
    status: int = 200,
    version: int = 0,
) -> Response:
    current_text = (
        comparison_form.grid_to_markdown(comparison_form.grid_from_comparison(table)) if table and status == 409 else ""
    )
    context = {
        **comparison_form.build_grid_context(form, errors or {}),
        "within": topic_link,
        "table": table,
        "theirs": current_text,
    }
    return render(request, "comparisons/edit.html", status, version=version, **context)
