"""Papers as JSON: the same questions and verbs as the pages."""

from fastapi import APIRouter, Depends

from readtrack.papers.api import exporting, glosses, lists, looks, merging, near, papers, records, relations
from readtrack.web.parameters import refuse_unknown

router = APIRouter(dependencies=[Depends(refuse_unknown)])
for part in (papers, exporting, lists, merging, records, relations, looks, near, glosses):
    router.include_router(part.router)
