"""People in a browser: the door itself, the team, and one's own settings."""

from fastapi import APIRouter

from readtrack.people.pages import (
    erasing,
    forgotten,
    invitations,
    joining,
    known,
    managing,
    second_factor,
    settings,
    signing,
    team,
)

router = APIRouter(include_in_schema=False)
for part in (signing, forgotten, second_factor, known, joining, team, invitations, managing, erasing, settings):
    router.include_router(part.router)
