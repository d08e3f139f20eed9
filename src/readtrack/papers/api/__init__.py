"""Papers as JSON: the same questions and verbs as the pages."""

from readtrack.papers.api import exporting, glosses, lists, looks, merging, near, papers, records, relations
from readtrack.web.routers import join_routers

router = join_routers(
    part.router for part in (papers, exporting, lists, merging, records, relations, looks, near, glosses)
)
