"""Routers whose routes are built once, with all that holds for them: `include_router` would build each again."""

import importlib
import pkgutil
from types import ModuleType

from fastapi import APIRouter, Depends
from starlette.routing import BaseRoute

from readtrack.web.dependencies.query_params import refuse_unknown
from readtrack.web.openapi import ApiRoute


def page_router() -> APIRouter:
    """A router of pages, which the API's description does not have."""
    return APIRouter(include_in_schema=False)


def api_router(tag: str) -> APIRouter:
    """A router of the API, with its prefix; parameters that an endpoint does not know are refused."""
    return APIRouter(
        prefix="/api/v1",
        tags=[tag],
        dependencies=[Depends(refuse_unknown)],
        route_class=ApiRoute,
        generate_unique_id_function=lambda route: route.name,  # the function's name is the operation id
    )


def load_routes(package: ModuleType) -> list[BaseRoute]:
    """The routes of every module below a package that has a `router`, as they are."""
    names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    routers = (getattr(importlib.import_module(name), "router", None) for name in names)
    return [route for router in routers if router is not None for route in router.routes]
