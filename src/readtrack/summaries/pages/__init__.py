"""Summaries in a browser."""

from readtrack.summaries.pages import editing, versions
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (editing, versions))
