"""One of several processes that answer."""

import gc

gc.disable()  # as in __main__.py
from starlette.types import ASGIApp  # noqa: E402 - after that

from readtrack.cli import serve  # noqa: E402, F401 - uvicorn's settings name what is there
from readtrack.cli.logging import set_up_log  # noqa: E402
from readtrack.infra import config  # noqa: E402
from readtrack.infra.db import Database  # noqa: E402
from readtrack.web.app import create_app  # noqa: E402

gc.freeze()  # what was loaded is never garbage; and unless it is looked through, processes share its memory
gc.enable()


def app_of_process() -> ASGIApp:
    """The application; settings come from the environment, the parent has migrated."""
    ready = config.load().ready()
    set_up_log(ready.log_format)
    return create_app(ready, Database(ready.url))
