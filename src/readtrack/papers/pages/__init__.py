"""Papers in a browser: the library, one paper, what people decide about it, and what needs a look."""

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
from readtrack.web.routers import join_routers

router = join_routers(
    part.router for part in (lists, adding, papers, looks, merging, near, glosses, proposals, leads, records, relations)
)
