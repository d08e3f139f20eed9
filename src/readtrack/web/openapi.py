"""The OpenAPI description of the API: what all operations have in common is added here by rule."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.responses import Response

from readtrack.web.responses.problem import PROBLEM_MEDIA_TYPE, TITLES, Problem

REF = "#/components/schemas/{model}"
LARGEST_ID = 2**31 - 1  # an id is an integer column of both databases
ALWAYS_POSSIBLE = (401, 403, 421, 422, 429, 500, 503)  # 422: an unknown query parameter
DESCRIPTION = """JSON over HTTP, with everything that the pages can do. Lists return `items` and `next`, which is the
`after` of the next page. Errors are `application/problem+json` with a stable `code`."""
SECURITY = {"token": {"type": "http", "scheme": "bearer", "description": "A token from Settings → API tokens."}}
RETRY_AFTER = {"Retry-After": {"description": "Seconds until a retry makes sense.", "schema": {"type": "integer"}}}
ERROR_HEADERS: Mapping[int, Any] = {
    401: {"WWW-Authenticate": {"required": True, "schema": {"type": "string"}}},
    429: RETRY_AFTER,
    503: RETRY_AFTER,
}
ETAG = {"ETag": {"description": "For If-None-Match, and for If-Match when editing.", "schema": {"type": "string"}}}
NOT_MODIFIED = {"description": "The ETag in If-None-Match is the current one.", "headers": ETAG}
MOVED = {
    "description": "The paper was merged into another, or the topic has another name.",
    "headers": {"Location": {"required": True, "schema": {"type": "string"}}},
}
Operation = dict[str, Any]


class _BodyModel(NamedTuple):
    """The model of a request body. `is_patch`: a JSON merge patch of it is sent."""

    model: type[BaseModel]
    is_patch: bool


_body_models: dict[str, _BodyModel] = {}


def request_body_schema(
    model: type[BaseModel],
    example: Mapping[str, Any] | None = None,
    *,
    merge_patch: bool = False,
    required: bool = True,
    media_type: str = "application/json",
) -> dict[str, Any]:
    """Return the `openapi_extra` of an operation with this body.

    Endpoints read and validate their body themselves, so FastAPI knows no model of it. `merge_patch`: the body is a
    JSON merge patch (RFC 7396) of the model.
    """
    name = model.__name__
    if merge_patch:
        name = name.removesuffix("Fields").removesuffix("Update") + "Patch"
    if _body_models.setdefault(name, _BodyModel(model, merge_patch)).model is not model:
        raise ValueError(f"Two models of request bodies are called {name}.")
    content: dict[str, Any] = {"schema": {"$ref": REF.format(model=name)}}
    if example is not None:
        content["example"] = example
    return {"requestBody": {"required": required, "content": {media_type: content}}}


def file_response(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of an operation that answers with a file of one of these media types."""
    names = (media_type.partition(";")[0] for media_type in media_types)
    types = {name: ["object", "array"] if name.endswith("json") else "string" for name in names}
    return {200: {"content": {name: {"schema": {"type": schema_type}} for name, schema_type in types.items()}}}


class ApiRoute(APIRoute):
    """An operation that its docstring describes: the first line is the summary, the rest the description."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - APIRoute's
        responses = options.get("responses") or {}
        if options.get("status_code") is None and responses:
            options["status_code"] = min(responses)
        if "content" in responses.get(options["status_code"], {}):
            options["response_class"] = Response  # else a JSON body is described, too
        super().__init__(path, endpoint, **options)
        summary, _, self.description = self.description.partition("\n\n")
        self.summary = summary.removesuffix(".")


class ApiApp(FastAPI):
    """An application whose description says what all operations have in common."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, built once."""
        if self.openapi_schema is None:
            _complete(super().openapi())
        return super().openapi()


def _complete(document: dict[str, Any]) -> None:
    document["info"]["description"] = " ".join(DESCRIPTION.split())
    document["security"] = [{name: []} for name in SECURITY]
    components = document["components"]
    components["securitySchemes"] = SECURITY
    for unused in ("HTTPValidationError", "ValidationError"):  # FastAPI's own form of errors
        components["schemas"].pop(unused, None)
    _drop_defaults(components["schemas"])
    components["schemas"] |= _body_schemas() | _definitions([(Problem, "serialization")])
    components["responses"] = {_error_name(status): _error_response(status) for status in TITLES}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _complete_operation(path, method, operation)


def _body_schemas() -> dict[str, Any]:
    schemas = _definitions([(body.model, "validation") for body in _body_models.values()])
    patches = {
        name: _to_patch(name, schemas[body.model.__name__]) for name, body in _body_models.items() if body.is_patch
    }
    only_patched = {body.model.__name__ for body in _body_models.values()} - {*_body_models}
    return {name: schema for name, schema in schemas.items() if name not in only_patched} | patches


def _definitions(models: Sequence[tuple[type[BaseModel], JsonSchemaMode]]) -> dict[str, Any]:
    definitions: dict[str, Any] = models_json_schema(models, ref_template=REF)[1]["$defs"]
    _drop_defaults(definitions)
    return definitions


def _to_patch(title: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a merge patch: each field may be left out, and null removes one that is not required."""
    required = schema.get("required", ())
    fields = {
        name: field if name in required else {"anyOf": [field, {"type": "null"}]}
        for name, field in schema["properties"].items()
    }
    patch = {name: value for name, value in schema.items() if name != "required"}
    return patch | {"title": title, "properties": fields}


def _drop_defaults(schemas: Mapping[str, Any]) -> None:
    """Drop the defaults of fields: `required` says which may be left out.

    Generated clients would send them, and overwrite what an update leaves out; or take the fields for required ones.
    """
    for schema in schemas.values():
        for field in schema.get("properties", {}).values():
            field.pop("default", None)


def _complete_operation(path: str, method: str, operation: Operation) -> None:
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            limits = {"integer": {"minimum": 1, "maximum": LARGEST_ID}, "string": {"minLength": 1}}
            parameter["schema"] |= limits[parameter["schema"]["type"]]
    responses = operation["responses"]
    errors = {int(status) for status in responses if status >= "400"} | {*_error_statuses(method, operation)}
    successes = {status: response for status, response in responses.items() if status < "400"}
    if method == "get" and "application/json" in successes["200"].get("content", {}):
        successes["200"]["headers"] = ETAG
        successes["304"] = NOT_MODIFIED
    if method == "get" and ("{paper_id}" in path or "{slug}" in path):
        successes["301"] = MOVED
    references = {str(status): {"$ref": f"#/components/responses/{_error_name(status)}"} for status in sorted(errors)}
    operation["responses"] = dict(sorted(successes.items())) | references


def _error_statuses(method: str, operation: Operation) -> Iterator[int]:
    """Generate the statuses of errors that an operation can answer, by what it is sent."""
    parameters = operation.get("parameters", ())
    places = {parameter["in"] for parameter in parameters}
    headers = {parameter["name"].lower() for parameter in parameters if parameter["in"] == "header"}
    has_body = "requestBody" in operation
    yield from ALWAYS_POSSIBLE
    if has_body or places & {"path", "query"}:  # what these name may not exist
        yield 404
    if has_body or places & {"query", "header"}:
        yield 400
    if method != "get":
        yield 409
    if has_body:
        yield from (413, 415, 507)
    if "if-match" in headers:
        yield from (412, 428)


def _error_name(status: int) -> str:
    return f"Error{status}"


def _error_response(status: int) -> dict[str, Any]:
    content = {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": REF.format(model=Problem.__name__)}}}
    headers = {"headers": ERROR_HEADERS[status]} if status in ERROR_HEADERS else {}
    return {"description": TITLES[status], "content": content, **headers}
