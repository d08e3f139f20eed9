"""Pages for a single paper: show, edit, delete, restore, refresh, translated titles, similar papers."""

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import CurrentUser
from readtrack.library.citations.queries import list_citations
from readtrack.library.duplicates.merge import list_merges
from readtrack.library.enrichment.provenance import get_provenance
from readtrack.library.enrichment.versions import find_newer_version
from readtrack.library.matching.suggestions import ProposalFilter, list_proposals
from readtrack.library.papers import citation_keys, commands, detail, lists, translated_titles
from readtrack.library.papers.detail import PaperDetail
from readtrack.library.papers.display_options import PUBLICATION_TYPE_WORDS
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.papers.lists import add_team_columns, get_row
from readtrack.library.papers.similar import list_similar_papers
from readtrack.library.papers.translated_titles import CALLED, TranslatedTitleUpdate, list_translated_titles
from readtrack.library.references.resolve import get_render_context
from readtrack.library.references.unlinked_mentions import list_mentions
from readtrack.library.relations.links import WORDS, list_relations
from readtrack.reading.drafts.commands import DraftSubject
from readtrack.reading.drafts.queries import list_drafts_of
from readtrack.reading.readings import status_transitions
from readtrack.reading.readings.queries import (
    find_my_reading,
    group_recommendations,
    list_earlier,
    list_passes,
    list_readings,
)
from readtrack.reading.summaries.queries import find_my_summary, list_summaries
from readtrack.team.assignments import queries as assigned
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.team.meetings.view_model import build_paper_meetings
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import Form, FormResult, parse_int, validate_form
from readtrack.web.pages.discussion import build_discussion_context, list_related_questions
from readtrack.web.responses.redirects import safe_next
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import is_fragment, redirect_with_flash, render
from readtrack.workspace.export.formatted_citations import STYLES, list_formatted_citations

router = page_router()
EMPTIABLE = ("venue", "publication_type", "abstract", "language", "year", "citation_key")


@router.get("/papers/{paper_id:int}")
def show_page(request: Request, paper_id: int, me: Me, tx: ReadTx, sources: str = "", topics: str = "") -> Response:
    """Show a paper: metadata and its sources, my reading, everyone's texts, and the entries of notes.

    With `sources=open` or `topics=open`, that part is unfolded.
    """
    paper = detail.get_paper(tx, me, paper_id)
    (row,) = lists.add_team_columns(tx, me, [paper.row])
    reading = find_my_reading(tx, me, paper_id)
    context: dict[str, Any] = {
        "mine": reading,
        "passes": list_passes(tx, me, paper_id),
        "possible": status_transitions.allowed(reading.status if reading else None),
        "readings": (readings := list_readings(tx, me, paper_id)),
        "earlier": (earlier_readings := list_earlier(tx, me, paper_id)),
        "recommended": group_recommendations(readings, earlier_readings),
        "summaries": (summaries := list_summaries(tx, me, paper_id)),
        "render_context": get_render_context(
            tx, [summary.markdown for summary in summaries], [("summary", summary.id) for summary in summaries]
        ),
        "my_summary": find_my_summary(tx, me, paper_id),
        "drafts": list_drafts_of(tx, me, DraftSubject("summary", paper_id), limit=1),
        "newer": find_newer_version(tx, paper_id, reading.version_label) if reading else None,
        "assignments": assigned.list_for_paper(tx, me, paper_id),
        "glosses": list_translated_titles(tx, paper_id),
        "gloss_languages": [*CALLED.items()],
        "askable": assigned.list_names(tx, me),
        "entries": (entries := detail.list_entries(tx, paper_id)),
        "meetings": build_paper_meetings(tx, paper_id),
        **_provenance(tx, me, paper, noted=bool(entries)),
        **build_discussion_context(request, tx, me, subject := DiscussionTarget("paper", paper_id, str(paper_id))),
        "mentions": list_mentions(tx, me, ("paper", paper_id)),
        "mentioned": subject,
        **list_related_questions(tx, me, subject),
    }
    unfolded = {"sources_open": sources == "open", "topics_open": topics == "open"}
    context |= {"citation_styles": STYLES, "publication_types": _name_publication_types()}
    return render(request, "papers/show.html", paper=paper, row=row, **unfolded, **context)


def _provenance(tx: Read, me: CurrentUser, paper: PaperDetail, *, noted: bool) -> dict[str, Any]:
    """Return the context for provenance, suggestions, relations, citations and merges."""
    paper_id = paper.row.id
    provenance = get_provenance(tx, paper, detail.list_records(tx, paper_id), in_notes=noted)
    proposals = list_proposals(tx, me, ProposalFilter(paper_id=paper_id), PageRequest(3))
    return {
        "provenance": provenance,
        "attributions": {field.name: field.attribution for field in provenance.fields if field.attribution},
        "proposals": proposals.items,
        "relations": list_relations(tx, me, paper_id),
        "citations": list_citations(tx, me, paper_id),
        "kinds": [(kind, _(labels[0]).lower()) for kind, labels in WORDS.items()],
        "merges": list_merges(tx, paper_id),
    }


@router.get("/papers/{paper_id:int}/edit")
def edit_page(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the form with the current values."""
    permissions.require(me, "edit")
    paper = detail.get_paper(tx, me, paper_id)
    return render(
        request,
        "papers/edit.html",
        paper=paper,
        row=paper.row,
        typed=_paper_fields(paper),
        errors={},
        version=paper.row.version,
        publication_types=_name_publication_types(),
        key_form=citation_keys.FORM,
    )


@router.post("/papers/{paper_id:int}/edit")
def edit(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Save the edited fields; show the form again (409) if the paper was changed meanwhile."""
    paper = detail.get_paper(tx, me, paper_id)
    form_result = _validate_paper(fields.values, _paper_fields(paper))
    version = parse_int(fields.get("version"))
    is_stale, errors = version != paper.row.version, form_result.errors
    if form_result.value is not None and not is_stale:
        try:
            edit_paper(tx, me, paper_id, form_result.value, version=version)
        except Invalid as error:
            errors = {problem.pointer.lstrip("/"): problem.detail for problem in error.errors}
    if form_result.value is None or is_stale or errors:
        context: dict[str, Any] = {
            "paper": paper,
            "row": paper.row,
            "typed": form_result.raw_values,
            "errors": errors,
            "version": paper.row.version,
            "publication_types": _name_publication_types(),
            "key_form": citation_keys.FORM,
        }
        return render(request, "papers/edit.html", 409 if is_stale else 422, **context)
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Saved"))


@router.post("/papers/{paper_id:int}/delete")
def delete(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete a paper. It can be restored within thirty days."""
    commands.delete_paper(tx, me, paper_id)
    return redirect_with_flash(
        request,
        "/papers",
        _("Moved to trash"),
        undo=(_("Restore"), f"/papers/{paper_id}/restore"),
    )


@router.post("/papers/{paper_id:int}/restore")
def restore(request: Request, paper_id: int, me: Me, tx: WriteTx) -> Response:
    """Restore a deleted paper."""
    commands.restore_paper(tx, me, paper_id)
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Restored"))


@router.post("/papers/{paper_id:int}/refresh")
def refresh(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Refresh the metadata of a paper."""
    job_id = commands.refresh_paper(tx, me, paper_id)
    return redirect_with_flash(
        request,
        safe_next(fields.get("next"), f"/papers/{paper_id}"),
        _("Refreshing metadata") if job_id else _("No metadata source supports this identifier."),
    )


def _name_publication_types() -> dict[str, str]:
    return {name: _(word) for name, word in PUBLICATION_TYPE_WORDS.items()}


def _validate_paper(values: Mapping[str, str], shown_values: Mapping[str, str]) -> FormResult[PaperUpdate]:
    """Return the changed fields of the form, including cleared ones.

    Unchanged fields are omitted, because every field given gets locked.
    """
    changes = {
        name: values[name].strip()
        for name in shown_values
        if name in values and _is_changed(name, values[name], shown_values)
    }
    lines = {"authors": [line for line in _lines(changes["authors"]) if line]} if "authors" in changes else {}
    form_result = validate_form(PaperUpdate, {**changes, **lines})
    if form_result.value is None:
        return FormResult(None, form_result.errors, values)
    cleared = {name: None if name == "year" else "" for name, text in changes.items() if name in EMPTIABLE and not text}
    return FormResult(form_result.value.model_copy(update=cleared), {}, values)


def _is_changed(name: str, text: str, shown_values: Mapping[str, str]) -> bool:
    """Return True if the field was changed, regardless of the browser's line endings."""
    if name in {"authors", "abstract"}:
        return _lines(text) != _lines(shown_values[name])
    return text.strip() != "".join(shown_values[name].splitlines()).strip()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def _paper_fields(paper: PaperDetail) -> dict[str, str]:
    row = paper.row
    fields = {
        "title": row.title,
        "venue": row.venue,
        "abstract": paper.abstract,
        "kind": row.kind,
        "publication_type": paper.publication_type,
        "language": row.language,
        "citation_key": paper.citation_key,
    }
    return {**fields, "year": str(row.year or ""), "authors": "\n".join(row.authors)}


@router.post("/papers/{paper_id:int}/translations")
def set_translated_title(request: Request, paper_id: int, me: Me, fields: Form, tx: WriteTx) -> Response:
    """Set the title in a language; a blank one removes it."""
    language = fields.get("language")
    if not fields.get("title").strip():
        translated_titles.remove_translated_title(tx, me, paper_id, language)
        return redirect_with_flash(request, f"/papers/{paper_id}", _("Removed"))
    values = {"title": fields.get("title"), "machine": fields.get("machine")}
    data = validate_form(TranslatedTitleUpdate, values).or_raise()
    translated_titles.set_translated_title(tx, me, paper_id, language, update=data)
    return redirect_with_flash(request, f"/papers/{paper_id}", _("Saved"))


@router.get("/papers/{paper_id:int}/cite")
def cite_page(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the citations of a paper in all styles, and its BibTeX entry."""
    row = get_row(tx, me, paper_id)
    return render(request, "papers/cite.html", row=row, citations=list_formatted_citations(tx, me, paper_id))


@router.get("/papers/{paper_id:int}/similar")
def similar_page(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """Show the most similar papers."""
    row, papers = get_row(tx, me, paper_id), add_team_columns(tx, me, list_similar_papers(tx, me, paper_id))
    template = "papers/_similar.html" if is_fragment(request) else "papers/similar.html"
    return render(request, template, row=row, papers=papers)
