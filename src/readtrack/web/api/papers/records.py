"""API endpoints for the metadata of a paper: its records and decisions on them, and its translated titles."""

from datetime import date, datetime
from typing import Any, Literal

from fastapi import Request
from starlette.responses import Response

from readtrack.infra.validation import StrictModel
from readtrack.library.enrichment import field_choices
from readtrack.library.papers import detail, lists, translated_titles
from readtrack.library.papers.translated_titles import TranslatedTitleRow, TranslatedTitleUpdate
from readtrack.web.api.papers.papers import PaperDetailRead, paper_detail_json
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import (
    Body,
    IdempotentPost,
    ItemList,
    JsonResponse,
    ResponseModel,
    conditional_response,
)
from readtrack.web.routing import api_router

router = api_router("papers")
_VERBS: dict[str, Any] = {
    "accept": field_choices.accept_record,
    "refuse": field_choices.refuse_record,
    "reopen": field_choices.reopen_record,
}


class FieldChoice(StrictModel):
    """The record that provides the field."""

    record: int


class RecordDecision(StrictModel):
    """The decision on a record.

    `accept`: it is about this paper; `refuse`: about another work; `reopen`: undo `refuse`; `split`: its identifier
    becomes a paper of its own.
    """

    decision: Literal["accept", "refuse", "reopen", "split"]


class MetadataRecordRead(ResponseModel):
    """What a service said about a paper.

    `scheme` and `value`: the identifier it was asked for; `identifiers`: further ones of the work; `problem`: why it
    disagrees; `fetched_at`, `checked_at`: when it said so first and last.
    """

    id: int
    service: str
    scheme: str
    value: str
    stage: Literal["published", "preprint", "page"]
    state: Literal["agrees", "disagrees", "refused", "superseded"]
    problem: str
    title: str
    authors: list[str]
    year: int | None
    published_on: date | None
    venue: str
    publication_type: str
    abstract: str
    language: str
    remark: str
    identifiers: list[str]
    fetched_at: datetime
    checked_at: datetime


@router.get("/papers/{paper_id:int}/records", responses={200: {"model": ItemList[MetadataRecordRead]}})
def list_metadata_records(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the metadata records of a paper.

    Newest first. `state`: agrees, disagrees, refused or superseded.
    """
    lists.get_row(tx, me, paper_id)
    return conditional_response(request, {"items": [dict(row._mapping) for row in detail.list_records(tx, paper_id)]})  # noqa: SLF001 - SQLAlchemy's public name


@router.post(
    "/papers/{paper_id:int}/records/{record_id:int}",
    responses={200: {"model": PaperDetailRead}},
    openapi_extra=request_body_schema(RecordDecision, {"decision": "refuse"}),
)
def decide_metadata_record(
    paper_id: int, record_id: int, me: Me, body: Body, once: IdempotentPost, tx: WriteTx
) -> Response:
    """Decide whether a record is about this paper.

    Return the paper, or after `split` the new one.
    """
    data = validate_input(RecordDecision, body)
    result_id = paper_id
    if data.decision == "split":
        result_id = field_choices.split_off(tx, me, paper_id, record_id)
    else:
        _VERBS[data.decision](tx, me, paper_id, record_id)
    return once.answer(paper_detail_json(detail.get_paper(tx, me, result_id)), status=200)


@router.put(
    "/papers/{paper_id:int}/fields/{field}",
    responses={200: {"model": PaperDetailRead}},
    openapi_extra=request_body_schema(FieldChoice, {"record": 1}),
)
def choose_field_source(paper_id: int, field: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Choose the record that a field is shown from.

    Later records do not change it. Safe to repeat.
    """
    field_choices.choose_field(tx, me, paper_id, field, record_id=validate_input(FieldChoice, body).record)
    return JsonResponse(paper_detail_json(detail.get_paper(tx, me, paper_id)))


@router.delete("/papers/{paper_id:int}/fields/{field}", responses={200: {"model": PaperDetailRead}})
def release_field(paper_id: int, field: str, me: Me, tx: WriteTx) -> Response:
    """Release a field that was typed or chosen.

    It follows the services again. Safe to repeat.
    """
    field_choices.release_field(tx, me, paper_id, field)
    return JsonResponse(paper_detail_json(detail.get_paper(tx, me, paper_id)))


class TranslatedTitleRead(ResponseModel):
    """A translated title. `machine`: drafted by a language model and saved unchanged."""

    language: str
    title: str
    machine: bool


def translated_title_json(row: TranslatedTitleRow) -> dict[str, Any]:
    """Return a translated title as JSON."""
    return {name: getattr(row, name) for name in TranslatedTitleRead.model_fields}


@router.get("/papers/{paper_id:int}/translations", responses={200: {"model": ItemList[TranslatedTitleRead]}})
def list_translated_titles(request: Request, paper_id: int, me: Me, tx: ReadTx) -> Response:
    """List the translated titles of a paper."""
    lists.get_row(tx, me, paper_id)
    items = [translated_title_json(row) for row in translated_titles.list_translated_titles(tx, paper_id)]
    return conditional_response(request, {"items": items})


@router.put(
    "/papers/{paper_id:int}/translations/{language}",
    status_code=204,
    openapi_extra=request_body_schema(TranslatedTitleUpdate, {"title": "訓練"}),
)
def set_translated_title(paper_id: int, language: str, me: Me, body: Body, tx: WriteTx) -> Response:
    """Set the translated title of a paper.

    In `en`, `ja` or `zh-Hans`.
    """
    translated_titles.set_translated_title(
        tx, me, paper_id, language, update=validate_input(TranslatedTitleUpdate, body)
    )
    return Response(status_code=204)


@router.delete("/papers/{paper_id:int}/translations/{language}", status_code=204)
def remove_translated_title(paper_id: int, language: str, me: Me, tx: WriteTx) -> Response:
    """Remove a translated title of a paper.

    Safe to repeat.
    """
    translated_titles.remove_translated_title(tx, me, paper_id, language)
    return Response(status_code=204)
