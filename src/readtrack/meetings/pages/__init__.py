"""Meetings in a browser: those to come, one of them, its notes, series with their candidates, and the calendar."""

from fastapi import APIRouter

from readtrack.meetings.pages import agendas, calendars, candidates, meetings, notes, series

router = APIRouter(include_in_schema=False)
for part in (meetings, notes, agendas, series, candidates, calendars):
    router.include_router(part.router)
