"""A furnished library, on both databases, and what the log is told."""

from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from readtrack.web.middleware import request_log
from tests.databases import Server
from tests.sample_library import Library, furnished


@pytest.fixture
def database_url(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    url = server.copy(furnished if "library" in request.fixturenames else None)
    yield url
    server.drop(url)


@pytest.fixture
def library(server: Server, database_url: str) -> Library:
    """What `database_url` has in it."""
    return server.told(furnished)


@pytest.fixture
def logged(monkeypatch) -> list[dict[str, Any]]:
    """What the log is told from now on. How it is written was settled by whoever logged first."""
    lines: list[dict[str, Any]] = []

    def keep(_logger, _method, line):
        lines.append(line)
        raise structlog.DropEvent

    log = structlog.wrap_logger(structlog.PrintLogger(), processors=[keep], wrapper_class=structlog.BoundLogger)
    monkeypatch.setattr(request_log, "log", log)
    return lines
