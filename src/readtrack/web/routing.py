"""Routers with all their settings.

Their routes are used as they are, because `include_router` would build each again.
"""

import importlib
import pkgutil
from types import ModuleType

from fastapi import APIRouter, Depends
from starlette.routing import BaseRoute

from readtrack.web.dependencies.query_params import refuse_unknown
from readtrack.web.openapi import ApiRoute


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
