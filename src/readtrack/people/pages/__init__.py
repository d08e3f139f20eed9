"""People in a browser: the door itself, the team, and one's own settings."""

from fastapi import APIRouter

from readtrack.people.pages import joining, settings, signing, team

router = APIRouter(include_in_schema=False)
for part in (signing, joining, team, settings):
    router.include_router(part.router)
