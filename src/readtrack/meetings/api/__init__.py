"""Meetings as JSON: the same questions and verbs as the pages."""

from fastapi import APIRouter

from readtrack.meetings.api import agendas, candidates, meetings, series

router = APIRouter(prefix="/api/v1", tags=["meetings"])
for part in (meetings, agendas, series, candidates):
    router.include_router(part.router)
