"""Routers with all their settings; those of the API refuse unknown query parameters instead of overlooking them.

Their routes are used as they are, because `include_router` would build each again.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain
from types import ModuleType

from fastapi import APIRouter, BackgroundTasks, Depends, Request
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.web.dependencies.auth import get_current_user
from readtrack.web.openapi import ApiRoute

MAX_UNKNOWN_NAMES = 20
MAX_NAME_CHARS = 100  # characters of a name
_parameters_by_route: dict[tuple[str, ...], tuple[str, ...]] = {}  # path and methods: a description takes 4 ms to make


async def refuse_unknown(request: Request, afterwards: BackgroundTasks) -> None:
    """Raise Invalid with a suggestion for each unknown parameter."""
    if not request.scope["query_string"]:
        return
    await get_current_user(request, afterwards)  # authenticate first, so that anonymous requests reveal nothing
    known_names = list_query_parameters(request.scope["route"])
    unknown_names = [name for name in dict.fromkeys(request.query_params) if name not in known_names][
        :MAX_UNKNOWN_NAMES
    ]
    if unknown_names:
        problems = [
            FieldError(
                f"/{name[:MAX_NAME_CHARS]}", "extra-forbidden", _refusal_message(name[:MAX_NAME_CHARS], known_names)
            )
            for name in unknown_names
        ]
        raise Invalid(_("Some fields or parameters are invalid."), problems)


def list_query_parameters(route: APIRoute) -> tuple[str, ...]:
    """Return the names of a route's query parameters in the order of its OpenAPI description."""
    key = (route.path, *sorted(route.methods or ()))
    if key not in _parameters_by_route:
        _parameters_by_route[key] = tuple(_describe_query_parameters(route))
    return _parameters_by_route[key]


def _describe_query_parameters(route: APIRoute) -> Iterator[str]:
    description = get_openapi(title="", version="", routes=[route])
    operations = chain.from_iterable(path.values() for path in description["paths"].values())
    parameters = chain.from_iterable(operation.get("parameters", ()) for operation in operations)
    return (parameter["name"] for parameter in parameters if parameter["in"] == "query")


def _refusal_message(name: str, known_names: tuple[str, ...]) -> str:
    matches = get_close_matches(name.lower(), known_names, 1)
    if matches:
        return _("Unknown parameter “{name}”. Did you mean “{close}”?").format(name=name, close=matches[0])
    return _("Unknown parameter “{name}”.").format(name=name)


def page_router() -> APIRouter:
    """Return a router for pages, which are not part of the OpenAPI document."""
    return APIRouter(include_in_schema=False)


def api_router(tag: str) -> APIRouter:
    """Return a router for the API with its prefix, which rejects unknown query parameters."""
    return APIRouter(
        prefix="/api/v1",
        tags=[tag],
        dependencies=[Depends(refuse_unknown)],
        route_class=ApiRoute,
        generate_unique_id_function=lambda route: route.name,  # the function's name is the operation id
    )


def load_routes(package: ModuleType) -> list[BaseRoute]:
    """Return the routes of every module with a `router` below a package."""
    names = [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    routers = (getattr(importlib.import_module(name), "router", None) for name in names)
    return [route for router in routers if router is not None for route in router.routes]
