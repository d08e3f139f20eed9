"""Topics as JSON: the same questions and verbs as the pages."""

from fastapi import APIRouter, Depends

from readtrack.topics.api import filing, knowing, links, ordering, parting, topics
from readtrack.web.parameters import refuse_unknown

router = APIRouter(dependencies=[Depends(refuse_unknown)])
for part in (topics, knowing, ordering, links, parting, filing):
    router.include_router(part.router)
