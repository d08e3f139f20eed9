"""The OpenAPI description of the API: how operations and request bodies are described."""

from collections.abc import Callable
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

REF = "#/components/schemas/{model}"
MODE: Literal["validation"] = "validation"  # the schema of what is sent, not of what is answered
_body_models: dict[str, type[BaseModel]] = {}


def request_body_schema(model: type[BaseModel], media_type: str = "application/json") -> dict[str, Any]:
    """Return the `openapi_extra` of an operation with this body.

    Endpoints read and validate their body themselves, so FastAPI knows no model of it.
    """
    if _body_models.setdefault(model.__name__, model) is not model:
        raise ValueError(f"Two models of request bodies are called {model.__name__}.")
    schema = {"$ref": REF.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}


class ApiRoute(APIRoute):
    """An operation that its docstring describes: the first line is the summary, the rest the description."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - APIRoute's
        super().__init__(path, endpoint, **options)
        summary, _, self.description = self.description.partition("\n\n")
        self.summary = summary.removesuffix(".")


class ApiApp(FastAPI):
    """An application whose description has the models of request bodies among its components."""

    def openapi(self) -> dict[str, Any]:
        """Return the description, built once."""
        if self.openapi_schema is None:
            schemas = super().openapi()["components"]["schemas"]
            body_models = [(model, MODE) for model in _body_models.values()]
            schemas.update(models_json_schema(body_models, ref_template=REF)[1]["$defs"])
        return super().openapi()
