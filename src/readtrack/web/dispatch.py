"""Finds the door of an address at once, where the framework would try hundreds of routes in turn."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from fastapi.routing import APIRoute, RouteContext, iter_route_contexts
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

_NAMED = re.compile(r"\(\?P<\w+>")


class Table(NamedTuple):
    """The routes of one method: all their patterns as one, the first of them first, and each by its place in it."""

    pattern: re.Pattern[str]
    routes: Mapping[str, RouteContext]


class Dispatch:
    """Stands in front of a router. What it does not find (no such address, another method) the router answers."""

    def __init__(self, router: ASGIApp, routes: Iterable[BaseRoute]) -> None:
        self._router = router
        self._tables = _tables(list(iter_route_contexts(list(routes))))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._find(scope) if scope["type"] == "http" else None
        if route is None:
            await self._router(scope, receive, send)
            return
        match = route.path_regex.match(scope["path"])
        params = {name: route.param_convertors[name].convert(text) for name, text in match.groupdict().items()}
        scope.update(route=route.original_route, endpoint=route.endpoint, path_params=params)
        await route.app(scope, receive, send)

    def _find(self, scope: Scope) -> RouteContext | None:
        table = self._tables.get(scope["method"])
        found = table.pattern.match(scope["path"]) if table and not scope.get("root_path") else None
        return table.routes[found.lastgroup or ""] if table and found else None


def _tables(routes: list[RouteContext]) -> dict[str, Table]:
    doors = [route for route in routes if isinstance(route.original_route, APIRoute)]
    methods = sorted({method for route in doors for method in route.methods or ()})
    return {method: _table([route for route in doors if method in (route.methods or ())]) for method in methods}


def _table(routes: list[RouteContext]) -> Table:
    named: dict[str, Any] = {f"r{place}": route for place, route in enumerate(routes)}
    patterns = (f"(?P<{name}>{_unnamed(route.path_regex.pattern)})" for name, route in named.items())
    return Table(re.compile("|".join(patterns)), named)


def _unnamed(pattern: str) -> str:
    """The pattern without its own names, which several patterns share."""
    return _NAMED.sub("(?:", pattern.removeprefix("^"))
