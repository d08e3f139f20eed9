"""Hashtags at the beginning and end of items and headings are topics, or statuses."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Notes on the Analytical Engine"
LINK = "https://arxiv.org/abs/2301.00001"


@cases(
    "line",
    [
        f"- [{TITLE}]({LINK}) #engines #to-read #looms/old",
        f"- #engines {TITLE} {LINK} #looms/old #unread",
        f"- TODO {TITLE} (OSDI 2020) #engines #looms/old",
        f"- TODO [[{TITLE}]] #engines #looms/old",
        f"## TODO [{TITLE}]({LINK}) #engines #looms/old\ntext",
        f"## TODO Lovelace, A., & Babbage, C. (2020): {TITLE} #engines #looms/old",
    ],
)
def test_tags_are_topics_and_leave_the_title(line):
    paper = next(each for each in parser.parse(f"{line}\n") if each.kind == "paper")
    assert (paper.title, set(paper.topics), paper.status) == (TITLE, {"engines", "looms/old"}, "to_read")


@cases(
    ("line", "title"),
    [
        (f"- [Programming in C# and F#]({LINK})", "Programming in C# and F#"),
        (f"- [{TITLE}](https://a.org/page.pdf#chapter-one)", TITLE),
        (f"- {TITLE} {LINK} #1", TITLE),
        (f"- [{TITLE}]({LINK}) #paper", TITLE),
    ],
)
def test_other_signs_are_no_tags(line, title):
    paper = next(each for each in parser.parse(f"{line}\n") if each.kind == "paper")
    assert (paper.title, paper.topics) == (title, ())


@cases(
    ("line", "topics"),
    [
        (f"- [{TITLE}]({LINK}) - ICML 2016 - [RL]", ("RL",)),
        (f"- [{TITLE}]({LINK}) - 2014 - [CV] [GANs]", ("CV", "GANs")),
        (f"- [{TITLE}]({LINK}) - [NeurIPS 2016]", ()),
        (f"- [{TITLE}]({LINK}) - [code]", ()),
        (f"- [{TITLE}]({LINK}) - [done]", ()),
    ],
)
def test_words_in_brackets_behind_a_dash_are_topics(line, topics):
    (paper,) = parser.parse(f"{line}\n")
    assert (paper.title, paper.topics) == (TITLE, topics)
