"""The command that serves an agent over standard input and output."""

import asyncio
from importlib.util import find_spec

from readtrack.cli.context import get_acting_person, open_existing_library
from readtrack.infra.errors import NotFound
from readtrack.infra.pagination import Cursors
from readtrack.infra.permissions import CurrentUser


def serve_agent(as_person: str) -> None:
    """Answer an agent until its input ends. Whom it acts for is looked up at each call, as that person may leave."""
    if find_spec("mcp") is None:
        raise NotFound("The extra [mcp] is not installed: pip install 'readtrack[mcp]'.")
    from readtrack.web.mcp.tools import build_server

    with open_existing_library() as (settings, database):

        def find_user() -> CurrentUser:
            with database.read() as tx:
                return get_acting_person(tx, as_person)

        find_user()  # A wrong name is said at once.
        server = build_server(database, Cursors(settings.secret_key), find_user)
        asyncio.run(server.run_stdio_async())
