"""Assembly of the web application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

import readtrack
from readtrack.bootstrap import open_model, open_provider
from readtrack.infra.config import Settings
from readtrack.infra.db import Database
from readtrack.infra.pagination import Cursors
from readtrack.web import api, pages
from readtrack.web.middleware.api_rate_limit import ApiRateLimitMiddleware
from readtrack.web.middleware.body_limit import BodyLimitMiddleware
from readtrack.web.middleware.head_requests import HeadRequestsMiddleware
from readtrack.web.middleware.host_check import HostCheck
from readtrack.web.middleware.language import LanguageMiddleware
from readtrack.web.middleware.proxy_headers import TrustedProxyMiddleware
from readtrack.web.middleware.request_id import RequestIdMiddleware
from readtrack.web.middleware.request_log import RequestLogMiddleware
from readtrack.web.middleware.request_metrics import RequestMetrics, RequestMetricsMiddleware
from readtrack.web.middleware.security_headers import SecurityHeadersMiddleware
from readtrack.web.openapi import ApiApp
from readtrack.web.pages.demo import demo_router
from readtrack.web.responses import errors
from readtrack.web.routing import load_routes


def all_routes() -> list[BaseRoute]:
    """Return the routes of all pages and of the API."""
    return [*load_routes(pages), *load_routes(api)]


def create_app(
    settings: Settings, database: Database, *, demo_code: str = "", metrics: RequestMetrics | None = None
) -> ASGIApp:
    """Return the application for an open database.

    `demo_code`: part of the demo's URL, whose holders may sign in as anyone. `metrics`: the counts of requests, if
    other processes share them.
    """
    routes = all_routes()
    app = ApiApp(
        title="readtrack",
        version=readtrack.__version__,
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=routes,
    )
    app.state.settings, app.state.database = settings, database
    app.state.cursors = Cursors(settings.secret_key)
    app.state.provider = open_provider(settings)
    app.state.model = open_model(settings)
    app.state.request_metrics = metrics or RequestMetrics(routes)
    app.add_middleware(ApiRateLimitMiddleware, limit=settings.api_limit)
    app.add_middleware(HostCheck, settings=settings)  # outside of the one before
    errors.install_error_handlers(app)
    if demo_code:
        app.include_router(demo_router(demo_code))
    return _wrap(app, settings)


def _wrap(app: FastAPI, settings: Settings) -> ASGIApp:
    """Return the application within what every answer goes through, error pages for defects included.

    FastAPI puts `add_middleware` inside of the handler that makes those pages.
    """
    wrapped: ASGIApp = BodyLimitMiddleware(app, render_error=errors.build_failure_handler(app))
    wrapped = RequestMetricsMiddleware(wrapped, metrics=app.state.request_metrics)
    wrapped = HeadRequestsMiddleware(wrapped)
    wrapped = SecurityHeadersMiddleware(wrapped, secure=settings.secure)
    wrapped = LanguageMiddleware(wrapped)
    wrapped = RequestLogMiddleware(wrapped)
    wrapped = TrustedProxyMiddleware(wrapped, proxies=settings.proxies)
    return RequestIdMiddleware(wrapped)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    await run_in_threadpool(app.state.database.dispose)
