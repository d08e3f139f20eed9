"""Meetings as JSON: the same questions and verbs as the pages."""

from readtrack.meetings.api import agendas, candidates, meetings, series
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (meetings, agendas, series, candidates))
