"""Invented dumps as large as one likes, in the shapes of arXiv, DBLP and Crossref; the same for the same seed."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import NamedTuple

BEGAN = datetime(2007, 4, 1, tzinfo=UTC)
A_MONTH = 9_000  # papers of arXiv
SENTENCES = 20_000
_SYLLABLES, _COMMON = (
    text.split()
    for text in (
        "ka to ri mo ne sul ver tan gra phi lo den mar qui bel us con fer ton ing al pro ex tra in ter den sub",
        "the of a and for in with on we to is by that from as an are this our which via using towards",
    )
)
_ACCENTED = (r"M\"uller", r"Garc\'{\i}a", r"Erd\H{o}s", "Özgür", r"Nov\'ak", "王小明", r"L\"{o}we")
_CJK = "分布式训练推理通信容错调度显存优化流水线检查点系统集群大规模模型方法研究障害復旧並列計算資源配置"


class Words:
    """Words as frequent as in a language: a few are everywhere, most are rare."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        rare = {"".join(random.choices(_SYLLABLES, k=random.randint(2, 4))) for _ in range(40_000)}
        self.words = [*_COMMON, *sorted(rare)]
        self.weights = list(accumulate(1 / (rank + 3) for rank in range(len(self.words))))
        self.sentences = [" ".join(self.some(random.randint(12, 30))).capitalize() + "." for _ in range(SENTENCES)]

    def some(self, many: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self.weights, k=many)

    def title(self) -> str:
        if self.random.random() < 0.02:
            return "".join(self.random.sample(_CJK, 12))
        told = " ".join(self.some(self.random.randint(5, 13))).capitalize()
        return f"{self.some(1)[0].title()}: {told}" if self.random.random() < 0.2 else told

    def name(self) -> tuple[str, str]:
        family = self.random.choice(_ACCENTED) if self.random.random() < 0.06 else self.some(1)[0].title()
        return family, self.random.choice(self.words).title()

    def people(self) -> list[tuple[str, str]]:
        return [self.name() for _ in range(self.random.choice((1, 2, 2, 3, 3, 4, 5, 8)))]

    def abstract(self) -> str:
        return " ".join(self.random.choices(self.sentences, k=self.random.randint(4, 9)))


def arxiv_line(words: Words, number: int) -> str:
    random, people, title = words.random, words.people(), words.title()
    month = number // A_MONTH
    began = BEGAN + timedelta(days=30.44 * month + 28 * (number % A_MONTH) / A_MONTH)
    dates = [began + timedelta(days=90 * version) for version in range(random.choice((1, 1, 1, 2, 2, 3)))]
    published = random.random() < 0.45
    line = {
        "id": arxiv_id(number),
        "submitter": " ".join(reversed(people[0])),
        "authors": ", ".join(f"{given} {family}" for family, given in people),
        "title": title.replace(" ", "\n  ", 1) if len(title) > 70 else title,
        "comments": f"{random.randint(4, 40)} pages, {random.randint(1, 12)} figures"
        if random.random() < 0.7
        else None,
        "journal-ref": f"Phys.Rev.D{random.randint(60, 110)}:{number % 100_000:06},{began.year}" if published else None,
        "doi": f"10.1103/PhysRevD.{random.randint(60, 110)}.{number % 1_000_000:06}" if published else None,
        "report-no": None,
        "categories": random.choice(("cs.LG", "cs.DC cs.PF", "hep-ph", "math.CO", "cond-mat.str-el", "astro-ph")),
        "license": None,
        "abstract": f"  {words.abstract()}\n",
        "versions": [
            {"version": f"v{n}", "created": format_datetime(at, usegmt=True)} for n, at in enumerate(dates, 1)
        ],
        "update_date": dates[-1].date().isoformat(),
        "authors_parsed": [[family, given, ""] for family, given in people],
    }
    return json.dumps(line)


def arxiv_id(number: int) -> str:
    month = number // A_MONTH
    year, of_year = divmod(2007 * 12 + 3 + month, 12)
    return f"{year % 100:02}{of_year + 1:02}.{number % A_MONTH + 1:05}"


def dblp_record(words: Words, number: int) -> str:
    random, year = words.random, 1980 + number % 46
    kind, place = (("article", "journal"), ("inproceedings", "booktitle"))[number % 2]
    venue = words.words[100 + number // 500 % 3_000]
    authors = "\n".join(
        f"<author>{_as_entities(given)} {_as_entities(family)}</author>" for family, given in words.people()
    )
    return (
        f'<{kind} mdate="2024-01-01" key="{"conf" if number % 2 else "journals"}/{venue}/{number:08}">\n{authors}\n'
        f"<title>{_as_entities(words.title())}.</title>\n<year>{year}</year>\n<{place}>{venue.upper()}</{place}>\n"
        f"<ee>https://doi.org/{doi(number)}</ee>\n<pages>{random.randint(1, 900)}</pages>\n</{kind}>"
    )


def _as_entities(text: str) -> str:
    plain = text.replace(r"\"u", "&uuml;").replace(r"\"{o}", "&ouml;").replace(r"\'a", "&aacute;").replace("\\", "")
    return plain.encode("ascii", "xmlcharrefreplace").decode()


def crossref_line(words: Words, number: int) -> str:
    year = 1990 + number % 36
    work = {
        "DOI": doi(number),
        "type": "proceedings-article" if number % 2 else "journal-article",
        "title": [words.title()],
        "author": [{"given": given, "family": family, "sequence": "first"} for family, given in words.people()],
        "container-title": [" ".join(words.some(4)).title()],
        "published": {"date-parts": [[year, number % 12 + 1]]},
        "publisher": "A Publisher",
        "reference": [{"key": f"ref{n}", "unstructured": words.random.choice(words.sentences)} for n in range(12)],
        "URL": f"https://doi.org/{doi(number)}",
    }
    return json.dumps(work)


def doi(number: int) -> str:
    return f"10.{1000 + number % 97}/{number:x}.{number % 9973}"


class Shape(NamedTuple):
    """How a dump is written, and the name of its work of some number."""

    entry: Callable[[Words, int], str]
    named: Callable[[int], tuple[str, str]]
    head: str = ""
    tail: str = ""


SHAPES: Mapping[str, Shape] = {
    "arxiv": Shape(arxiv_line, lambda number: ("arxiv", arxiv_id(number))),
    "dblp": Shape(
        dblp_record,
        lambda number: ("doi", doi(number)),
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n<dblp>\n',
        "</dblp>\n",
    ),
    "crossref": Shape(crossref_line, lambda number: ("doi", doi(number))),
}


def entries(shape: str, many: int, seed: int) -> Iterator[str]:
    words = Words(seed)
    return (SHAPES[shape].entry(words, number) for number in range(many))


def write(shape: str, many: int, path: Path, *, seed: int = 1) -> None:
    """Writes it entry by entry."""
    with path.open("w", encoding="utf-8") as file:
        file.write(SHAPES[shape].head)
        file.writelines(f"{entry}\n" for entry in entries(shape, many, seed))
        file.write(SHAPES[shape].tail)
