"""What an endpoint takes from an address, by its description as FastAPI makes it; pages have one here, too."""

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute


def parameters_of(route: APIRoute) -> tuple[dict[str, Any], ...]:
    return _parameters(route.path, route.endpoint, frozenset(route.methods or ()))


@cache
def _parameters(path: str, endpoint: Callable[..., Any], methods: frozenset[str]) -> tuple[dict[str, Any], ...]:
    described = APIRoute(path, endpoint, methods=sorted(methods))
    paths = get_openapi(title="", version="", routes=[described])["paths"].values()
    operations = chain.from_iterable(path.values() for path in paths)
    return tuple(chain.from_iterable(operation.get("parameters", ()) for operation in operations))


def query_names(route: APIRoute) -> tuple[str, ...]:
    return tuple(one["name"] for one in parameters_of(route) if one["in"] == "query")


def path_numbers(route: APIRoute) -> tuple[str, ...]:
    return tuple(
        one["name"] for one in parameters_of(route) if one["in"] == "path" and one["schema"]["type"] == "integer"
    )
