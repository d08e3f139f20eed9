"""People as JSON: the team, oneself, invitations, sessions, tokens."""

from readtrack.people.api import invitations, me, people, sessions, tokens
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (me, people, invitations, sessions, tokens))
