"""Topics as JSON: the same questions and verbs as the pages."""

from readtrack.topics.api import filing, knowing, links, ordering, parting, topics
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (topics, knowing, ordering, links, parting, filing))
