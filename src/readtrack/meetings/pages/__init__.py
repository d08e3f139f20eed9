"""Meetings in a browser: those to come, one of them, its notes, series with their candidates, and the calendar."""

from readtrack.meetings.pages import agendas, calendars, candidates, meetings, notes, series
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (meetings, notes, agendas, series, candidates, calendars))
