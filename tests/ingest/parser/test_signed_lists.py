"""Lists with the authors behind or before each title. Any capitalised words may be names: the whole list tells."""

import pytest

from readtrack.ingest import parser
from tests.growth import assert_grows_with_its_text
from tests.tables import cases

TITLES = (
    "How to 0wn the Internet in your Spare Time",
    "See through walls with Wi-Fi!",
    "BGP routing policies in ISP networks",
    "Why Is It Taking So Long to Secure Internet Routing?",
    "Intentional Naming System",
    "Kerberos: An Authentication Service for Computer Networks",
    'A Look Back at "Security Problems in the TCP/IP Protocol Suite"',
    "Population genetics of sparse coding in mice",
)
TITLES_FIRST = [
    "{t} - {n}",
    "{t} — {n} (1998)",
    "{t} by {n}",
    "{t}, by {n}",
    "{t} ({n}, 1998)",
    "*{t}* by **{n}** (1998)",
]


def papers_of(text):
    return [entry for entry in parser.parse(text) if entry.kind == "paper"]


def listed(items, mark="- "):
    return "# Networks\n\n" + "".join(f"{mark}{item}\n" for item in items)


@pytest.mark.parametrize("form", [*TITLES_FIRST, "{t}, {n}, 1998", "{n} - {t}", "**{n}**: {t}"])
@pytest.mark.parametrize(
    ("names", "authors"),
    [
        ("Adib and Katabi", ("Adib", "Katabi")),
        ("Appenzeller, Keslassy, and McKeown", ("Appenzeller", "Keslassy", "McKeown")),
        ("Greenberg et. al.", ("Greenberg",)),
        ("Leila Schneps & Pierre Lochak", ("Leila Schneps", "Pierre Lochak")),
    ],
)
def test_titles_and_names_in_one_form_are_parted(form, names, authors):
    found = papers_of(listed(form.format(t=title, n=names) for title in TITLES))
    assert [(paper.title, paper.authors) for paper in found] == [(title, authors) for title in TITLES]
    assert {paper.year for paper in found} == ({1998} if "1998" in form else {None})


@pytest.mark.parametrize("form", TITLES_FIRST)
def test_one_full_name_behind_each_title_is_its_author(form):
    found = papers_of(listed(form.format(t=title, n="Gerald Weinberg") for title in TITLES))
    assert [(paper.title, paper.authors) for paper in found] == [(title, ("Gerald Weinberg",)) for title in TITLES]


def test_lines_without_list_marks_are_parted_too():
    found = papers_of(listed((f"{title} - Adib and Katabi" for title in TITLES), mark=""))
    assert [(paper.title, paper.authors) for paper in found] == [(title, ("Adib", "Katabi")) for title in TITLES]


def test_sections_of_one_item_follow_the_rest_of_the_note_and_an_item_without_names_is_a_title():
    titles = [title for title in TITLES if not title.startswith("See ")]  # by itself it may be a task
    sections = "".join(f"## Part {n}\n\n- {title} - Gao and Rexford\n" for n, title in enumerate(titles))
    found = papers_of(f"# Papers\n\n{sections}- The Peering Playbook\n")
    assert [paper.title for paper in found] == [*titles, "The Peering Playbook"]
    assert found[-1].authors == ()


def test_names_before_the_address_below_a_title_are_no_part_of_it():
    items = (f"{title} - Richard Jozsa\n      https://arxiv.org/abs/2101.0000{n}" for n, title in enumerate(TITLES))
    found = papers_of(listed(items))
    assert [paper.title for paper in found] == list(TITLES)
    assert {paper.authors for paper in found} == {("Richard Jozsa",)}
    assert [paper.identifiers for paper in found] == [(f"arxiv:2101.0000{n}",) for n in range(len(TITLES))]


def test_names_before_the_addresses_of_several_works_stay_in_the_words_of_each():
    both = "https://arxiv.org/abs/2101.00001 and https://arxiv.org/abs/2101.00002"
    items = [f"{title} - Greenberg et al." for title in TITLES] + [f"Two parts of one thing - Adib and Katabi {both}"]
    found = papers_of(listed(items))
    assert all("Adib and Katabi" in f"{paper.title} {paper.text}" for paper in found[-2:])


def test_a_word_behind_each_title_may_be_anybody_and_is_kept_as_a_remark():
    who = ("Bo", "Ada", "Chen", "Dana")
    titles = (
        "Attention Is All You Need",
        "Mastering the Game of Go",
        "Language Models are Few-Shot Learners",
        TITLES[5],
    )
    found = papers_of(listed(f"{title} ({name})" for title, name in zip(titles, who, strict=True)))
    assert [(paper.title, paper.authors, paper.text) for paper in found] == [
        (title, (), name) for title, name in zip(titles, who, strict=True)
    ]


@cases(
    "items",
    [
        (
            "Fix the flaky test in CI - Bo",
            "Review PR backlog - Ada",
            "Write the design doc - Chen",
            "Update docs - Dana",
        ),
        (
            "Ada Lovelace - MIT",
            "Charles Babbage - Cambridge",
            "Alan Turing - Princeton",
            "Grace Hopper - Yale",
        ),
        (
            "Redis (Cache)",
            "PostgreSQL (Database)",
            "Kafka (Queue)",
            "Grafana (Dashboards)",
        ),
        (
            "Slides were made by Bo",
            "The demo was shown by Ada",
            "Minutes were taken by Chen",
            "Tea was made by Dana",
        ),
        (
            "Bo: Working on the import queue",
            "Ada: Reviewing caches",
            "Chen: Out on Friday",
            "Dana: Blocked by a release",
        ),
        (
            "Status of the data platform - Smith, Jones",
            "Results of the user survey - Brown, Lee",
            "Plan for the release - Li, Ray",
            "Review of the report - Ng, Ito",
        ),
        (
            "Two cups of white rice, Salt and Pepper",
            "One spoon of olive oil, Garlic and Basil",
            "A bit of brown sugar, Butter and Milk",
            "Three eggs from the farm, Flour and Oats",
        ),
        (
            "A fast key-value store (Rust, Linux)",
            "Message queues for events (Kafka, Pulsar)",
            "A tool for tracing requests (Jaeger, Zipkin)",
            "A place for all logs (Loki, Elastic)",
        ),
        (
            "Chapter on graphs and trees - Wednesday and Thursday",
            "Lecture on sorting - Monday and Friday",
            "Exercise on hash tables - Tuesday",
            "Review of it all - Sunday",
        ),
        (
            "予算の確認について (山田, 佐藤)",
            "来月の予定の共有 (鈴木, 田中)",
            "新しい席の配置 (高橋, 伊藤)",
            "採用の状況の報告 (渡辺, 中村)",
        ),
        (
            "关于预算的讨论和安排 - 张三、李四",
            "下个月的活动计划 - 王五、赵六",
            "新员工的培训内容 - 孙七、周八",
            "办公室搬迁的时间 - 吴九、郑十",
        ),
    ],
)
def test_lists_of_other_things_name_no_papers(items):
    assert papers_of(listed(items)) == []


def test_a_short_name_before_a_title_is_no_author():
    items = (
        "Spanner - Google's Globally Distributed Database",
        "Raft - In Search of an Understandable Consensus Algorithm",
        "Dynamo - Amazon's Highly Available Key Value Store",
        "Bigtable - A Distributed Storage System for Structured Data",
    )
    assert [(paper.title, paper.authors) for paper in papers_of(listed(items))] == [(item, ()) for item in items]


def test_a_list_that_is_called_one_of_topics_names_no_papers():
    topics = ("Quantum protocol design", "Programmable quantum gates", "Quantum repeater architectures", "Ion traps")
    assert (
        papers_of("# Notes\n\nRecurring topics on this list are:\n" + "".join(f"- {topic}\n" for topic in topics)) == []
    )


def test_tasks_beside_a_reading_list_are_not_split_like_its_items():
    reading = "".join(f"- {title} - Chandra and Redstone\n" for title in TITLES)
    tasks = "- [x] Write the report - Anna\n- [ ] Send the report - Bob\n"
    found = papers_of(f"# Papers\n\n{reading}\n# Status\n\n{tasks}")
    assert [paper.title for paper in found] == list(TITLES)


def test_notes_on_a_paper_are_not_split():
    remarks = (
        "Image classification results - Imagenet, Cifar",
        "Speech recognition results - Librispeech, Switchboard",
        "Translation of text results - Europarl, Flores",
        "Question answering results - Squad, Trivia",
    )
    note = "# Deep Residual Learning\n\nhttps://arxiv.org/abs/1512.03385\n\n## Experiments\n\n" + listed(remarks)[12:]
    assert {entry.text for entry in parser.parse(note) if entry.kind == "snippet"} >= set(remarks)


def test_a_short_name_among_authors_is_none():
    items = [f"Gu et al.: {title}" for title in TITLES[:5]] + [
        "Raft: In Search of an Understandable Consensus Algorithm"
    ]
    assert papers_of(listed(items))[-1].title == items[-1]


def test_lists_of_growing_indent_take_linear_time():
    def note(size):
        return "".join(f"{' ' * number}- The Theory {number}\n" for number in range(int(size**0.5)))

    assert_grows_with_its_text(parser.parse, note)


@pytest.mark.parametrize("mark", ["- ", "1. "])
@pytest.mark.parametrize(
    "form",
    [
        "{a}, {b}: {t}. {v} {y}",
        "{a} and {b}: *{t}* ({v}, {y})",
        "{a}, {b}. {t}. {v}, {y}.",
        "{t}. {a}, {b}. {v} {y}.",
        "*{t}*. {a}, {b}. {v} {y}",
        "{t}, {a} and {b}, {v} {y}",
        "{t} ({v} {y}) - {a}, {b}",
        "{t} - {a}, {b} ({v} {y})",
        "{t} by {a}, {b}, {v} {y}",
        "{t} | {a}, {b} | {v} {y}",
    ],
)
def test_a_list_of_references_in_one_form_keeps_their_venues_and_years_apart(mark, form):
    works = (
        ("The Google File System", "S. Ghemawat", "H. Gobioff", "SOSP", 2003),
        ("Attention Is All You Need", "A. Vaswani", "N. Shazeer", "NeurIPS", 2017),
        ("Deep Residual Learning for Image Recognition", "K. He", "X. Zhang", "CVPR", 2016),
        ("MapReduce: Simplified Data Processing on Large Clusters", "J. Dean", "S. Ghemawat", "OSDI", 2004),
        ("In Search of an Understandable Consensus Algorithm", "D. Ongaro", "J. Ousterhout", "OSDI", 2014),
    )
    items = (form.format(t=title, a=first, b=second, v=venue, y=year) for title, first, second, venue, year in works)
    found = papers_of(listed(items, mark=mark))
    assert [(paper.title, paper.venue, paper.year) for paper in found] == [
        (title, venue, year) for title, _, _, venue, year in works
    ]


def test_authors_with_a_comma_before_each_title_are_no_part_of_it():
    items = [
        "D.F. Walls & Gerard J. Milburn, Quantum Optics",
        "Michael Tinkham, Introduction to Superconductivity",
        "Orazio Svelto & David C. Hanna, Principles of Lasers",
        "Charles Kittel, Introduction to Solid State Physics",
        "Bei Zeng, Xie Chen, Xiao-Gang Wen, Quantum Information Meets Quantum Matter",
    ]
    assert [(entry.title, entry.authors) for entry in papers_of(listed(items))] == [
        ("Quantum Optics", ("D.F. Walls", "Gerard J. Milburn")),
        ("Introduction to Superconductivity", ("Michael Tinkham",)),
        ("Principles of Lasers", ("Orazio Svelto", "David C. Hanna")),
        ("Introduction to Solid State Physics", ("Charles Kittel",)),
        ("Quantum Information Meets Quantum Matter", ("Bei Zeng", "Xie Chen", "Xiao-Gang Wen")),
    ]


def test_persons_with_their_departments_are_no_titles():
    items = [
        "A. Lovelace, Department of Computer Science at Kings",
        "C. Babbage, Institute for the Analytical Engine",
        "G. Hopper, Center for Naval Computing Research",
        "A. Turing, School of Mathematics and Logic",
        "J. von Neumann, Faculty of Physics and Mathematics",
    ]
    assert not any(entry.authors for entry in parser.parse(listed(items)))
