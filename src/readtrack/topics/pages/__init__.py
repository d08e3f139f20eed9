"""Topics in a browser: the index, one topic, its form, its order and links, merging and splitting, and filing."""

from readtrack.topics.pages import editing, filing, index, links, ordering, parting, topic
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (index, topic, editing, ordering, links, parting, filing))
