"""What is true in the world of the stand-in: papers from facts.json, and a few other things that notes link."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FACTS = Path(__file__).parents[1] / "facts.json"


@dataclass(frozen=True)
class Fact:
    """One paper. `title` is what it is called now; arXiv, or the place where it appeared, may call it otherwise."""

    title: str
    authors: tuple[str, ...]
    year: int
    arxiv: str = ""
    doi: str = ""
    usenix: str = ""
    published: str = ""  # when arXiv had it first
    latest_version: int = 1
    venue: str = ""
    pages: str = ""
    arxiv_title: str = ""
    venue_title: str = ""
    former_title: str = ""  # of an early version: notes may still use it

    @property
    def names(self) -> frozenset[str]:
        """Its identifiers, as they are written in the library."""
        names = {"arxiv": self.arxiv, "doi": self.doi.lower(), "usenix": self.usenix}
        return frozenset(f"{scheme}:{key}" for scheme, key in names.items() if key)

    @property
    def at_datacite(self) -> bool:
        """Whether its DOI is one of DataCite's; the others are Crossref's."""
        return self.doi.startswith("10.4230/")

    @property
    def on_arxiv(self) -> str:
        return self.arxiv_title or self.title

    @property
    def in_print(self) -> str:
        return self.venue_title or self.title

    @property
    def series(self) -> str:
        """`OSDI` of `OSDI 2023`; a journal as it is."""
        return re.sub(r" \d{4}$", "", self.venue)

    @property
    def printed_in(self) -> int:
        """The year of its venue, which may come after its first."""
        named = re.search(r" (\d{4})$", self.venue)
        return int(named[1]) if named else self.year

    @property
    def abstract(self) -> str:
        """Made up here: what it says is not the point."""
        return (
            f"The stand-in sums up what {self.authors[0]} wrote. It has <i>two</i> sentences & nothing else."
            if self.doi
            else f"The stand-in sums up what {self.authors[0]} wrote. It has $2$ sentences and nothing else."
        )

    @property
    def first_page(self) -> str:
        return self.pages.partition("-")[0]

    @property
    def last_page(self) -> str:
        return self.pages.partition("-")[2]


class Facts:
    """The papers there are, by each of their names."""

    def __init__(self, papers: Iterable[Fact] = ()) -> None:
        self.papers = tuple(papers)
        self._of = {name: fact for fact in self.papers for name in fact.names}

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.papers)

    def named(self, scheme: str, key: str) -> Fact | None:
        return self._of.get(f"{scheme}:{key if scheme == 'arxiv' else key.lower()}")

    def without(self, unknown: Iterable[str]) -> "Facts":
        """All but the papers with one of these identifiers."""
        gone = frozenset(unknown)
        return Facts(fact for fact in self.papers if not gone & fact.names)

    def called(self, query: str, title: Callable[[Fact], str], most: int) -> Sequence[Fact]:
        """Those whose title begins a word with each word of the query; the shortest title first."""
        wanted = words(query)
        hits = [fact for fact in self.papers if wanted and begins_all(wanted, words(title(fact)))]
        return sorted(hits, key=lambda fact: len(title(fact)))[:most]

    def like(self, query: str, title: Callable[[Fact], str], most: int) -> Sequence[tuple[Fact, float]]:
        """The likeliest, however unlikely, with their scores: what an index that always finds something gives."""
        wanted = set(words(query))
        scores = [(fact, len(wanted & set(words(title(fact))))) for fact in self.papers]
        likely = sorted((pair for pair in scores if pair[1]), key=lambda pair: -pair[1])
        return [(fact, 10.0 * shared / len(wanted)) for fact, shared in likely[:most]]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def begins_all(wanted: Sequence[str], there: Sequence[str]) -> bool:
    return all(any(word.startswith(begin) for word in there) for begin in wanted)


@cache
def known() -> Facts:
    """The facts of facts.json."""
    rows = json.loads(FACTS.read_text(encoding="utf-8"))
    return Facts(Fact(**{**row, "authors": tuple(row["authors"])}) for row in rows)


@dataclass(frozen=True)
class Repository:
    """Code on GitHub. `cites`: the paper that its CITATION.cff wants to be cited."""

    name: str
    description: str
    homepage: str = ""
    cites: str = ""


@dataclass(frozen=True)
class Talk:
    """A video, or slides."""

    key: str
    title: str
    by: str


REPOSITORIES = (
    Repository(
        "uccl-project/uccl", "A transport layer for GPU networking, in software.", cites="usenix:osdi26/zhou-yang"
    ),
    Repository("NVIDIA-NeMo/Megatron-Bridge", "Training recipes between two model formats."),
    Repository("deepnote/deepnote", "A notebook.", homepage="https://deepnote.example"),
    Repository("dlsyscourse/lecture5", ""),
)
VIDEOS = (
    Talk("QGtrQXHbTnQ", "OSDI '23 - Relational Debugging — Pinpointing Root Causes of Performance Problems", "USENIX"),
    Talk("cNADlHfHQHg", "Lecture 5 - Automatic Differentiation Implementation", "Deep Learning Systems Course"),
)
DECKS = (
    Talk(
        "odashi/llm-jp-3-and-beyond-training-large-language-models", "大規模言語モデルの学習 / Training LLMs", "Odashi"
    ),
    Talk(
        "aztecher/distributed-inference-serving-vllm-lmcache-nixl-and-llm-d",
        "分散推論サービング - vLLM, LMCache, NIXL, llm-d",
        "Aztecher",
    ),
)
