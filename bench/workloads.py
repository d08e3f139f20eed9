"""What is asked of readtrack and of the floor: the pages people live in, the JSON of programs, one change."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from bench import words
from readtrack.infra.config import Settings
from readtrack.infra.pagination import Cursors
from readtrack.library.papers.lists import PaperFilter

TOPIC, DEEP = 7, 0.5  # a topic; how far down the deep page lies
PAPER = 4_321
LIST = "library page, 50 rows"


@dataclass(frozen=True)
class Workload:
    """One request. `floor`: what the floor is asked; blank: nothing, then the ratio is to the floor's list.

    `statuses` alternate in the body. `aim`: the most times its floor that the median and the processor may take;
    `longest`: the most milliseconds of the median.
    """

    name: str
    path: str
    floor: str = ""
    statuses: tuple[str, ...] = ()
    aim: float = 0
    longest: float = 0


def workloads(settings: Settings, papers: int) -> Sequence[Workload]:
    """All of them, for a library of that size."""
    deep = int(papers * DEEP)
    cursor = Cursors(settings.secret_key).write(PaperFilter().question, (deep, deep))
    pair = quote(words.PAIR)
    return (
        Workload(LIST, "/papers", "/papers", aim=4),
        Workload("topic list", f"/papers?q=topic:topic-{TOPIC}", f"/papers?topic={TOPIC}", aim=4),
        Workload("deep page", f"/papers?after={cursor}", f"/papers?before={deep}", aim=4),
        Workload("search, rare word", f"/papers?q={words.RARE}", f"/papers?words={words.RARE}", aim=2),
        Workload("search, common word", f"/papers?q={words.COMMON}", f"/papers?words={words.COMMON}", aim=0.25),
        Workload("search, two characters (CJK)", f"/papers?q={pair}", f"/papers?words={pair}", aim=2),
        Workload("50 papers as JSON", "/api/v1/papers?limit=50", "/api/v1/papers", aim=2.5),
        Workload("one paper as JSON", f"/api/v1/papers/{PAPER}", f"/api/v1/papers/{PAPER}", longest=1),
        Workload("paper page", f"/papers/{PAPER}", longest=5),
        Workload("board", "/board", aim=4),
        Workload("home", "/home", aim=4),
        Workload("palette", "/palette?q=spar", aim=4),
        Workload("progress", "/progress", aim=4),
        Workload("graph, 300 nodes", f"/topics/topic-{TOPIC}/graph?depth=2", aim=4),
        CHANGE,
    )


CHANGE = Workload(
    "status change", "/api/v1/papers/4300/reading", "/api/v1/papers/4300/reading", ("reading", "paused"), longest=3
)
