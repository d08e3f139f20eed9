"""People in a browser: the door itself, the team, and one's own settings."""

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
from readtrack.web.routers import join_routers

router = join_routers(
    part.router
    for part in (signing, forgotten, second_factor, known, joining, team, invitations, managing, erasing, settings)
)
