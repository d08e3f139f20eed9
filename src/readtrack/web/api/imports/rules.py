"""API endpoints for the team's import rules."""

from datetime import datetime
from typing import Any

from fastapi import Request
from starlette.responses import Response

from readtrack.ingest.imports import rules
from readtrack.ingest.imports.rules import RuleCreate
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.forms import validate_input
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import Body, JsonResponse, ResponseModel, conditional_response
from readtrack.web.routing import api_router

router = api_router("imports")


class RuleRead(ResponseModel):
    """An import rule. `sentence`: the rule in words. `columns`: of a header, the field by the name of each column."""

    id: int
    pattern: str
    value: str
    says: str
    name: str
    columns: dict[str, str]
    sentence: str
    person: str | None
    created_at: datetime


class RuleList(ResponseModel):
    items: list[RuleRead]


@router.get("/imports/rules", responses={200: {"model": RuleList}})
def list_import_rules(request: Request, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """List import rules."""
    return conditional_response(request, {"items": [_rule(row) for row in rules.list_rules(tx)]})


@router.post(
    "/imports/rules",
    status_code=201,
    responses={201: {"model": RuleRead}},
    openapi_extra=request_body_schema(RuleCreate, {"pattern": "heading", "value": "Infos", "says": "no_topic"}),
)
def create_import_rule(me: Me, body: Body, tx: WriteTx) -> Response:
    """Create an import rule.

    It replaces a rule on the same site or heading. Safe to repeat.
    """
    rule_id = rules.add_rule(tx, me, validate_input(RuleCreate, body))
    [created] = [row for row in rules.list_rules(tx) if row.id == rule_id]
    return JsonResponse(_rule(created), 201)


@router.delete("/imports/rules/{rule_id:int}", status_code=204)
def delete_import_rule(rule_id: int, me: Me, tx: WriteTx) -> Response:
    """Delete an import rule.

    Earlier imports stay as they are.
    """
    rules.remove_rule(tx, me, rule_id)
    return Response(status_code=204)


def _rule(row: Any) -> dict[str, Any]:  # noqa: ANN401 - a row of list_rules
    return {**row._mapping, "sentence": rules.format_rule(row)}  # noqa: SLF001 - SQLAlchemy's public name
