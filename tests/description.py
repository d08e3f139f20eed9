"""The description of the API, made once for all tests that read it: that takes two seconds."""

from functools import cache
from typing import Any

from readtrack.web.app import all_routes
from readtrack.web.openapi import ApiApp


@cache
def api_description() -> dict[str, Any]:
    return ApiApp(routes=all_routes()).openapi()
