"""People as JSON: the team, oneself, invitations, sessions, tokens."""

from fastapi import APIRouter, Depends

from readtrack.people.api import invitations, me, people, sessions, tokens
from readtrack.web.parameters import refuse_unknown

router = APIRouter(dependencies=[Depends(refuse_unknown)])
for part in (me, people, invitations, sessions, tokens):
    router.include_router(part.router)
