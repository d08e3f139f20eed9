"""The application of one of several server processes."""

import gc

from starlette.types import ASGIApp

from readtrack.cli.logging import set_up_log
from readtrack.infra import config
from readtrack.infra.db import Database
from readtrack.web.app import create_app


def create_process_app() -> ASGIApp:
    """Return the application; settings come from the environment, the parent has migrated the database."""
    settings = config.load().ready()
    set_up_log(settings.log_format)
    app = create_app(settings, Database(settings.url))
    gc.freeze()  # what was loaded is never garbage; to look through it takes up to 250 ms
    return app
