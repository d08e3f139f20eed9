"""API endpoints for decisions on the entries of a preview."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.schemas import StrictModel
from readtrack.ingest.imports import edit_entries, merge_entries, queries
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, decide_all
from readtrack.ingest.imports.merge_entries import MOST_JOINED
from readtrack.web.api.imports.schemas import EntryList, EntryRead, EntrySelection, entries_json, entry_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse
from readtrack.web.routing import api_router

router = api_router("imports")


class EntryDecision(EntrySelection):
    """A decision for all entries that match a filter."""

    decision: Literal["add", "skip"]


class EntryJoin(StrictModel):
    """The numbers of adjacent entries to join."""

    entries: Annotated[list[int], Field(min_length=2, max_length=MOST_JOINED)]


class DecisionCounts(BaseModel):
    """The number of changed entries, and the resulting counts."""

    changed: int
    decisions: dict[str, int]


@router.patch(
    "/imports/{import_id:int}/entries/{position:int}",
    responses={200: {"model": EntryRead}},
    openapi_extra=request_body_schema(EntryUpdate),
)
def update_entry(import_id: int, position: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Correct an entry.

    Optionally saved as a rule; 409 once the import is committed.
    """
    edit = validate_input(EntryUpdate, body)
    correct_entry(tx, me, import_id, position, edit=edit)
    return JsonResponse(entry_json(queries.get_entry(tx, import_id, position)))


@router.post(
    "/imports/{import_id:int}/entries/{position:int}/split",
    responses={200: {"model": EntryList}},
)
def split_entry(import_id: int, position: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Split an entry by its identifiers, or else by its lines.

    Return the resulting entries.
    """
    return once.answer(
        _entries_payload(tx, import_id, merge_entries.split_entry(tx, me, import_id, position)), status=200
    )


@router.post("/imports/{import_id:int}/entries/{position:int}/reset", responses={200: {"model": EntryList}})
def reset_entry(import_id: int, position: int, me: Me, tx: WriteTx) -> Response:
    """Reset an entry.

    It is as it was proposed, and so is what it was joined with or split into. Safe to repeat.
    """
    return JsonResponse(_entries_payload(tx, import_id, edit_entries.reset_entry(tx, me, import_id, position)))


@router.post(
    "/imports/{import_id:int}/join", responses={200: {"model": EntryRead}}, openapi_extra=request_body_schema(EntryJoin)
)
def join_entries(import_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Join adjacent entries into one, which keeps the number of the first."""
    position = merge_entries.join_entries(tx, me, import_id, validate_input(EntryJoin, body).entries)
    return once.answer(entry_json(queries.get_entry(tx, import_id, position)), status=200)


@router.post(
    "/imports/{import_id:int}/decide",
    responses={200: {"model": DecisionCounts}},
    openapi_extra=request_body_schema(EntryDecision),
)
def decide_entries(import_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Accept or skip all entries that match a filter.

    Safe to repeat.
    """
    data = validate_input(EntryDecision, body)
    changed_count = decide_all(tx, me, import_id, data.narrowed, decision=data.decision)
    return JsonResponse({"changed": changed_count, "decisions": queries.count_by_kind(tx, import_id)["decisions"]})


def _entries_payload(tx: Read, import_id: int, positions: list[int]) -> dict[str, Any]:
    rows = queries.find_entries(tx, import_id, positions)
    return {"items": entries_json(rows[position] for position in positions), "next": None}
