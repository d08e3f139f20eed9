"""Puts the parts together. The only module that knows every door."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp

import readtrack
import readtrack.activity.api
import readtrack.activity.pages
import readtrack.assignments.api
import readtrack.assignments.pages
import readtrack.board.api
import readtrack.board.pages
import readtrack.bulk.api
import readtrack.bulk.pages
import readtrack.citations.api
import readtrack.citations.pages
import readtrack.comparisons.api
import readtrack.comparisons.pages
import readtrack.discussion.api
import readtrack.discussion.pages
import readtrack.drafts.api
import readtrack.drafts.pages
import readtrack.graph.api
import readtrack.graph.pages
import readtrack.home.api
import readtrack.home.pages
import readtrack.hosts.api
import readtrack.hosts.pages
import readtrack.images.api
import readtrack.images.pages
import readtrack.imports.api
import readtrack.imports.pages
import readtrack.machine.api
import readtrack.machine.pages
import readtrack.macros.api
import readtrack.macros.pages
import readtrack.meetings.api
import readtrack.meetings.pages
import readtrack.notices.api
import readtrack.notices.pages
import readtrack.outlines.api
import readtrack.outlines.pages
import readtrack.palette.api
import readtrack.palette.pages
import readtrack.papers.api
import readtrack.papers.pages
import readtrack.people.api
import readtrack.people.pages
import readtrack.progress.api
import readtrack.progress.pages
import readtrack.questions.api
import readtrack.questions.pages
import readtrack.queue.api
import readtrack.readings.api
import readtrack.readings.pages
import readtrack.references.api
import readtrack.references.pages
import readtrack.searching.api
import readtrack.searching.pages
import readtrack.summaries.api
import readtrack.summaries.pages
import readtrack.topics.api
import readtrack.topics.pages
import readtrack.topics.versions.api
import readtrack.topics.versions.pages
import readtrack.trash.api
import readtrack.trash.pages
import readtrack.vault.api
import readtrack.vault.pages
import readtrack.views.api
import readtrack.views.pages
from readtrack.db import Database
from readtrack.demo.pages import demo_router
from readtrack.opening import open_model, open_provider
from readtrack.paging import Cursors
from readtrack.settings import Settings
from readtrack.web import assets, health, problems, reference
from readtrack.web.envelope import Envelope
from readtrack.web.fronting import Fronted
from readtrack.web.host_check import HostCheck
from readtrack.web.routers import join_routers

if TYPE_CHECKING:
    from readtrack.deferred import DeferredWorker
    from readtrack.worker import Worker

DOORS = (
    assets,
    health,
    reference,
    readtrack.people.pages,
    readtrack.people.api,
    readtrack.papers.pages,
    readtrack.papers.api,
    readtrack.board.pages,
    readtrack.board.api,
    readtrack.palette.pages,
    readtrack.palette.api,
    readtrack.searching.pages,
    readtrack.searching.api,
    readtrack.readings.pages,
    readtrack.readings.api,
    readtrack.summaries.pages,
    readtrack.summaries.api,
    readtrack.drafts.pages,
    readtrack.drafts.api,
    readtrack.outlines.pages,
    readtrack.outlines.api,
    readtrack.citations.pages,
    readtrack.citations.api,
    readtrack.references.pages,
    readtrack.references.api,
    readtrack.topics.pages,
    readtrack.topics.api,
    readtrack.topics.versions.pages,
    readtrack.topics.versions.api,
    readtrack.graph.pages,
    readtrack.graph.api,
    readtrack.comparisons.pages,
    readtrack.comparisons.api,
    readtrack.discussion.pages,
    readtrack.discussion.api,
    readtrack.questions.pages,
    readtrack.questions.api,
    readtrack.imports.pages,
    readtrack.imports.api,
    readtrack.hosts.pages,
    readtrack.hosts.api,
    readtrack.images.pages,
    readtrack.images.api,
    readtrack.macros.pages,
    readtrack.macros.api,
    readtrack.queue.api,
    readtrack.bulk.pages,
    readtrack.bulk.api,
    readtrack.trash.pages,
    readtrack.trash.api,
    readtrack.assignments.pages,
    readtrack.assignments.api,
    readtrack.machine.pages,
    readtrack.machine.api,
    readtrack.meetings.pages,
    readtrack.meetings.api,
    readtrack.notices.pages,
    readtrack.notices.api,
    readtrack.home.pages,
    readtrack.home.api,
    readtrack.progress.pages,
    readtrack.progress.api,
    readtrack.vault.pages,
    readtrack.vault.api,
    readtrack.views.pages,
    readtrack.views.api,
    readtrack.activity.pages,
    readtrack.activity.api,
)


def create_app(
    settings: Settings, database: Database, *, worker: "Worker | DeferredWorker | None" = None, demo_code: str = ""
) -> ASGIApp:
    """The application over an opened library. With `worker`, jobs run in a thread of this process.

    Whoever knows `demo_code` comes in as anybody.
    """
    app = FastAPI(
        title="readtrack",
        version=readtrack.__version__,
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=join_routers(door.router for door in DOORS).routes,
    )
    app.state.settings, app.state.database, app.state.worker = settings, database, worker
    app.state.cursors = Cursors(settings.secret_key)
    app.state.provider = open_provider(settings)
    app.state.model = open_model(settings)
    app.add_middleware(HostCheck, settings=settings)
    app.add_middleware(Fronted, proxies=settings.proxies)
    problems.install(app)
    if demo_code:
        app.include_router(demo_router(demo_code))
    return Envelope(app, failure=problems.failure_of(app), secure=settings.secure)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    worker: Worker | DeferredWorker | None = app.state.worker
    if worker is not None:
        worker.start()
    try:
        yield
    finally:
        if worker is not None:
            await run_in_threadpool(worker.stop)
        await run_in_threadpool(app.state.database.dispose)
