"""Days beside papers that are not those of their publication: of meetings, plans, and of reading."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Notes on the Analytical Engine"


def dates(text):
    paper = next(each for each in parser.parse(text) if each.title == TITLE)
    return paper.year, paper.published, paper.read_on


@cases(
    "text",
    [
        f"| Date | Presenter | Paper |\n|--|--|--|\n| 15/03/2018 | Ada | {TITLE}. ACL 2017 |\n",
        f"| Date | Reading | Speaker |\n|--|--|--|\n| 9/23/2016 | {TITLE} (ACL 2017) | |\n| 11/11 | Other | |\n",
        f"Date: 2018-03-15\nPresenter: Ada\nPaper: {TITLE} (ACL 2017)\nLink: https://arxiv.org/abs/1704.00001\n",
        f"日期：2018-03-15\n主讲：李四\n论文：{TITLE} (ACL 2017)\n链接：https://arxiv.org/abs/1704.00001\n状态：待读\n",
        f"**2018-03-15** {TITLE} (Lovelace et al., ACL 2017) — led by Ada\n",
    ],
)
def test_the_day_of_a_meeting_is_not_that_of_publication(text):
    assert dates(text) == (2017, "", "")


@cases(
    ("text", "expected"),
    [
        (f"- 2024/05/19 [{TITLE}](https://www.usenix.org/conference/fast15/presentation/lee)\n", (2015, "", "")),
        (f"* TODO [[https://arxiv.org/abs/2205.14135][{TITLE}]]\n  SCHEDULED: <2024-03-01 Fri>\n", (None, "", "")),
        (f"# Papers I read\n\n(2022-2-27) {TITLE}. Lovelace, A. et al. ICSE 2022.\n", (2022, "", "2022-02-27")),
        (f"## Done\n1. {TITLE} (OSDI '06) ✔ 2024-01-10\n", (2006, "", "2024-01-10")),
        (f"Name\tURL\tDate\n{TITLE}\thttps://arxiv.org/abs/1706.03762\tJune 3, 2024\n", (None, "", "")),
        (f"Name\tURL\tDate\n{TITLE}\thttps://arxiv.org/abs/1706.03762\tJune 12, 2017\n", (2017, "2017-06-12", "")),
    ],
)  # fmt: skip
def test_a_day_of_reading_or_planning_is_not_that_of_publication(text, expected):
    assert dates(text) == expected


@cases(
    ("text", "year"),
    [
        (f"Title,Publication Year,Url,Date\n{TITLE},2020,https://arxiv.org/abs/1801.00001,2020-05-01\n", 2020),
        (f"| Title | Venue | Published |\n|--|--|--|\n| {TITLE} | TPAMI | 2020-05-01 |\n", 2020),
        (f"| Title | Publication date | Presenter |\n|--|--|--|\n| {TITLE} (arXiv) | 2020-05-01 | Ada |\n", 2020),
    ],
)  # fmt: skip
def test_a_day_that_a_column_calls_that_of_publication_is(text, year):
    assert dates(text)[0] == year


@cases(
    ("text", "year"),
    [
        ("## TCP\n\n### 2002\n\n- [{}](https://a.org/e.pdf)\n\n## GPU\n\n### 2012\n", 2002),
        ("## TCP\n\n### 2002\n\n- [{}](https://a.org/e.pdf)\n", None),  # a journal club, perhaps
        ("## 2002\n\n### TCP\n\n- [{}](https://a.org/e.pdf)\n", None),  # when it was read, perhaps
        ("## TCP\n\n### 2002\n\n- [x] [{}](https://a.org/e.pdf)\n\n## GPU\n\n### 2012\n", None),
    ],
)
def test_a_year_inside_a_topic_is_that_of_publication_unless_the_paper_was_read(text, year):
    (entry,) = [
        each for each in parser.parse(f"# Papers\n\n{text}".format("A Story of Engines")) if each.kind == "paper"
    ]
    assert entry.year == year
