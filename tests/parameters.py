"""What an endpoint takes from an address, by its description as FastAPI makes it; pages have one here, too."""

from itertools import chain
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute


def parameters_of(route: APIRoute) -> tuple[dict[str, Any], ...]:
    described = APIRoute(route.path, route.endpoint, methods=route.methods)
    paths = get_openapi(title="", version="", routes=[described])["paths"].values()
    operations = chain.from_iterable(path.values() for path in paths)
    return tuple(chain.from_iterable(operation.get("parameters", ()) for operation in operations))


def query_names(route: APIRoute) -> tuple[str, ...]:
    return tuple(one["name"] for one in parameters_of(route) if one["in"] == "query")


def path_numbers(route: APIRoute) -> tuple[str, ...]:
    return tuple(
        one["name"] for one in parameters_of(route) if one["in"] == "path" and one["schema"]["type"] == "integer"
    )
