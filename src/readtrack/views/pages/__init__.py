"""Saved views in a browser, and their feeds."""

from readtrack.views.pages import feeds, views
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (views, feeds))
