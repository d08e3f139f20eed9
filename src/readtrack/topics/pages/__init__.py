"""Topics in a browser: the index, one topic, its form, its order and links, merging and splitting, and filing."""

from fastapi import APIRouter

from readtrack.topics.pages import editing, filing, index, links, ordering, parting, topic

router = APIRouter(include_in_schema=False)
for part in (index, topic, editing, ordering, links, parting, filing):
    router.include_router(part.router)
