"""Pages to merge papers, undo a merge, and decide on duplicates."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.library.duplicates import merge as duplicates_merge
from readtrack.library.duplicates import review
from readtrack.library.duplicates.merge import unmerge_paper
from readtrack.library.papers import lists
from readtrack.library.relations import links
from readtrack.library.relations.links import AmbiguousPaper
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Fields, Form, parse_int
from readtrack.web.pages.papers.paper_choice import render_paper_choice
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
DUPLICATES = "/review?of=duplicates"
MERGED = N_("Papers merged")


@router.get("/papers/{paper_id:int}/merge")
def merge_page(request: Request, paper_id: int, me: Me, tx: ReadTx, into: str = "") -> Response:
    """Ask for the other paper, then show both side by side for confirmation."""
    permissions.require(me, "merge")
    row, other, problem = lists.get_row(tx, me, paper_id), None, ""
    if into.strip():
        try:
            other = lists.get_row(tx, me, links.get_paper_by_text(tx, me, into, exclude_id=paper_id))
        except AmbiguousPaper as error:
            return render_paper_choice(request, Fields({"into": into}), error, field="into", back=f"/papers/{paper_id}")
        except Invalid as error:
            problem = error.errors[0].detail
    if other is not None and other.id == paper_id:
        other, problem = None, _("A paper can't be merged into itself. Choose another paper.")
    rows = lists.add_team_columns(tx, me, [row, *([other] if other else [])])
    return render(request, "papers/merge.html", 422 if problem else 200, rows=rows, row=row, into=into, problem=problem)


@router.post("/papers/{paper_id:int}/merge")
def merge(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Merge the paper into the other."""
    survivor = duplicates_merge.merge_papers(tx, me, paper_id, into_id=parse_int(fields.get("into")))
    undo = (_("Unmerge"), f"/papers/{paper_id}/unmerge")
    return redirect_with_flash(request, f"/papers/{survivor.id}", _(MERGED), undo=undo)


@router.post("/papers/{paper_id:int}/unmerge")
def unmerge(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the merge of a paper."""
    restored = unmerge_paper(tx, me, paper_id)
    message = _("Papers separated")
    return redirect_with_flash(request, safe_next(fields.get("next"), f"/papers/{restored.id}"), message)


@router.post("/duplicates/{duplicate_id:int}")
def decide(request: Request, duplicate_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Merge a pair into `into`, or mark it as not duplicates."""
    next_path = safe_next(fields.get("next"), DUPLICATES)
    if fields.get("decision") == "distinct":
        review.dismiss_duplicate(tx, me, duplicate_id)
        undo = (_("Undo"), f"/duplicates/{duplicate_id}/reopen")
        return redirect_with_flash(request, next_path, _("Marked as not duplicates"), undo=undo)
    pair, into = review.get_duplicate(tx, me, duplicate_id), parse_int(fields.get("into"))
    review.merge_duplicate(tx, me, duplicate_id, into_id=into)
    merged_id = pair.other.id if into == pair.one.id else pair.one.id
    return redirect_with_flash(request, next_path, _(MERGED), undo=(_("Unmerge"), f"/papers/{merged_id}/unmerge"))


@router.post("/duplicates/{duplicate_id:int}/reopen")
def reopen(request: Request, duplicate_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Undo the decision that a pair is distinct."""
    review.reopen(tx, me, duplicate_id)
    return redirect_with_flash(request, safe_next(fields.get("next"), DUPLICATES), _("Undone"))
