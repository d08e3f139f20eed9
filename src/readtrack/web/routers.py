"""Routers whose routes are built once, with all that holds for them: `include_router` would build each again."""

from collections.abc import Iterable

from fastapi import APIRouter, Depends

from readtrack.web.parameters import refuse_unknown


def page_router() -> APIRouter:
    """A router of pages, which the API's description does not have."""
    return APIRouter(include_in_schema=False)


def api_router(tag: str) -> APIRouter:
    """A router of the API, with its prefix; parameters that an endpoint does not know are refused."""
    return APIRouter(prefix="/api/v1", tags=[tag], dependencies=[Depends(refuse_unknown)])


def join_routers(routers: Iterable[APIRouter]) -> APIRouter:
    """A router with the routes of all of them, as they are."""
    return APIRouter(routes=[route for router in routers for route in router.routes])
