"""What a person says of the entries of a preview, as JSON: one by one, all of a filter, joined, split, put back."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from readtrack.infra.db import Read
from readtrack.infra.schemas import StrictModel
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.edit_entries import EntryEdit, correct_entry, decide_all, reset_entry
from readtrack.ingest.imports.merge_entries import MOST_JOINED, join_entries, split_entry
from readtrack.web.api.imports.schemas import EntriesOut, EntryOut, EntrySelection, entries_json, entry_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.responses.json import Body, IdempotentPost, JsonResponse, request_body_schema
from readtrack.web.routing import api_router

router = api_router("imports")


class BulkDecision(EntrySelection):
    """One decision for all entries that a filter shows."""

    decision: Literal["add", "skip"]


class EntryJoin(StrictModel):
    """The numbers of neighbours."""

    entries: Annotated[list[int], Field(min_length=2, max_length=MOST_JOINED)]


class DecisionCountsOut(BaseModel):
    """How many entries a decision changed, and the sums after it."""

    changed: int
    decisions: dict[str, int]


@router.patch(
    "/imports/{import_id:int}/entries/{position:int}",
    responses={200: {"model": EntryOut}},
    openapi_extra=request_body_schema(EntryEdit),
)
def correct(import_id: int, position: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Sets what one entry becomes, and keeps that as a rule when asked to; 409 once the import is committed."""
    edit = validate_input(EntryEdit, body)
    correct_entry(tx, me, import_id, position, edit=edit)
    return JsonResponse(entry_json(queries.get_entry(tx, import_id, position)))


@router.post(
    "/imports/{import_id:int}/entries/{position:int}/split",
    responses={200: {"model": EntriesOut}},
)
def split(import_id: int, position: int, me: Me, once: IdempotentPost, tx: WriteTx) -> Response:
    """Makes one entry for each of its identifiers, or else for each of its lines: all that stand there now."""
    return once.answer(_entries_payload(tx, import_id, split_entry(tx, me, import_id, position)), status=200)


@router.post("/imports/{import_id:int}/entries/{position:int}/reset", responses={200: {"model": EntriesOut}})
def reset(import_id: int, position: int, me: Me, tx: WriteTx) -> Response:
    """As it was proposed; what it was joined or split with comes back too. Again: the same."""
    return JsonResponse(_entries_payload(tx, import_id, reset_entry(tx, me, import_id, position)))


@router.post(
    "/imports/{import_id:int}/join", responses={200: {"model": EntryOut}}, openapi_extra=request_body_schema(EntryJoin)
)
def join(import_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx) -> Response:
    """Makes neighbours one entry, which has the number of the first."""
    position = join_entries(tx, me, import_id, validate_input(EntryJoin, body).entries)
    return once.answer(entry_json(queries.get_entry(tx, import_id, position)), status=200)


@router.post(
    "/imports/{import_id:int}/decide",
    responses={200: {"model": DecisionCountsOut}},
    openapi_extra=request_body_schema(BulkDecision),
)
def decide(import_id: int, me: Me, body: Body, tx: WriteTx) -> Response:
    """Adds or leaves out all entries of a filter at once; again: the same."""
    wanted = validate_input(BulkDecision, body)
    changed = decide_all(tx, me, import_id, wanted.narrowed, decision=wanted.decision)
    return JsonResponse({"changed": changed, "decisions": queries.count_by_kind(tx, import_id)["decisions"]})


def _entries_payload(tx: Read, import_id: int, positions: list[int]) -> dict[str, Any]:
    rows = queries.find_entries(tx, import_id, positions)
    return {"items": entries_json(rows[position] for position in positions), "next": None}
