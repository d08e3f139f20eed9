"""Papers in a browser: the library, one paper, what people decide about it, and what needs a look."""

from fastapi import APIRouter

from readtrack.papers.pages import (
    adding,
    glosses,
    leads,
    lists,
    looks,
    merging,
    near,
    papers,
    proposals,
    records,
    relations,
)

router = APIRouter(include_in_schema=False)
for part in (lists, adding, papers, looks, merging, near, glosses, proposals, leads, records, relations):
    router.include_router(part.router)
