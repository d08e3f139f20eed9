"""The description of the API, which takes two seconds to make: once for all applications that have the same routes."""

from typing import Any

import pytest
from starlette.routing import Route

import readtrack
from readtrack.web.app import all_routes
from readtrack.web.openapi import ApiApp

_make = ApiApp.openapi
_made: dict[tuple[object, ...], dict[str, Any]] = {}


@pytest.fixture(autouse=True)
def described_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the folder whose conftest.py imports it."""
    monkeypatch.setattr(ApiApp, "openapi", _openapi)


def api_description() -> dict[str, Any]:
    return _openapi(ApiApp(title="readtrack", version=readtrack.__version__, routes=all_routes()))


def _openapi(app: ApiApp) -> dict[str, Any]:
    routes = ((route.path, *sorted(route.methods or ())) for route in app.routes if isinstance(route, Route))
    key = (app.title, app.version, *routes)
    if key not in _made:
        _made[key] = _make(app)
    return _made[key]
