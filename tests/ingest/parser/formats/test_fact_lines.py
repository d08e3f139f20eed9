"""Papers as blocks of one fact a line, titles over several lines, and titles below their address."""

from readtrack.ingest import parser
from tests.growth import assert_grows_with_its_text
from tests.tables import cases

ADDRESS = "https://arxiv.org/abs/1706.03762"
TITLE = "Attention Is All You Need"
FACTS = (TITLE, "NeurIPS", 2017, ("Ashish Vaswani", "Noam Shazeer"))


@cases(
    "lines",
    [
        ("2017", "Ashish Vaswani, Noam Shazeer", TITLE, "NeurIPS", ADDRESS),
        (TITLE, "Ashish Vaswani and Noam Shazeer", "NeurIPS 2017", ADDRESS),
        (ADDRESS, TITLE, "Ashish Vaswani, Noam Shazeer", "NeurIPS 2017"),
        ("NeurIPS", "(2017)", TITLE, "Ashish Vaswani; Noam Shazeer", f"<{ADDRESS}>"),
        ("Ashish Vaswani, Noam Shazeer", "Attention Is All", "you Need", "NeurIPS 2017", f"[{ADDRESS}]({ADDRESS})"),
        ("> 2017", "> Ashish Vaswani, Noam Shazeer", f"> {TITLE}", "> NeurIPS", f"> {ADDRESS}"),
        (TITLE, ADDRESS, "Ashish Vaswani, Noam Shazeer", "NeurIPS 2017"),
    ],
)
def test_facts_on_lines_of_their_own_are_one_paper_in_any_order(lines):
    (entry,) = parser.parse("\n".join(lines))
    assert (entry.title.casefold(), entry.venue, entry.year, entry.authors) == (TITLE.casefold(), *FACTS[1:])
    assert (entry.identifiers, entry.last) == (("arxiv:1706.03762",), len(lines))


@cases(
    ("venue", "title"),
    [
        ("Advances in Neural Information Processing Systems", "Language models are few-shot learners"),
        ("Nature", "Array programming with NumPy"),
        ("Trends in Cognitive Sciences", "Prefrontal cortex as a system that learns by reward"),
    ],
)
def test_a_journal_on_a_line_of_its_own_is_not_the_title(venue, title):
    for lines in ((venue, title), (title, venue)):
        (entry,) = parser.parse("\n".join(["2020", "Tom Brown et al.", *lines, ADDRESS]))
        assert (entry.title, entry.venue) == (title, venue)


def test_blocks_that_follow_each_other_directly_end_at_their_address():
    block = "{year}\nAda Lovelace, Alan Turing\n{title}\nICML\nhttps://arxiv.org/abs/{number}\n"
    text = block.format(year=2019, title="A First Story of Caches", number="1901.00001")
    text += block.format(year=2020, title="A Second Story of Caches", number="2001.00001")
    entries = parser.parse(text)
    assert [(each.title, each.year) for each in entries] == [
        ("A First Story of Caches", 2019),
        ("A Second Story of Caches", 2020),
    ]


def test_a_title_below_its_address_is_its_title_if_it_has_a_venue():
    (entry,) = parser.parse(f"{ADDRESS}\nAttention is all you need | NeurIPS (2017)\n")
    assert (entry.title, entry.venue, entry.year) == ("Attention is all you need", "NeurIPS", 2017)


@cases(
    "text",
    [
        f"{ADDRESS}\nWorth a second look\n",
        f"{ADDRESS}\nhttps://arxiv.org/abs/1409.0473\nhttps://arxiv.org/abs/1412.6980\n",
        f"2024-05-16\nRead it on the train\n{ADDRESS}\n",
    ],
)
def test_remarks_and_days_beside_an_address_are_no_facts_of_the_paper(text):
    entries = parser.parse(text)
    paper = next(each for each in entries if each.identifiers == ("arxiv:1706.03762",))
    assert (paper.venue, paper.year, paper.authors) == ("", None, ())
    assert sum(parser.tally(entries).values()) == len(text.splitlines())


@cases(
    "lines",
    [
        ("Chain-of-Thought Prompting Elicits Reasoning in Large", "Language Models"),
        ("Chain-of-Thought Prompting Elicits", "  Reasoning in Large Language Models"),
        ("Chain-of-Thought Prompting Elicits Reasoning in", "Large Language Models"),
    ],
)
def test_a_title_over_two_lines_is_one_title(lines):
    (entry,) = parser.parse("\n".join([*lines, ADDRESS]))
    assert entry.title == "Chain-of-Thought Prompting Elicits Reasoning in Large Language Models"


@cases("above", ["Transformers", "To read on the train to Berlin", "Reading group of the whole spring term."])
def test_a_line_above_a_title_is_no_part_of_it(above):
    entry = next(each for each in parser.parse(f"{above}\n{TITLE}\n{ADDRESS}\n") if each.identifiers)
    assert entry.title == TITLE


@cases(
    "text",
    [
        "{title}. *Neural Computation* (1997). {address}",
        "[{title}]({address}) (Neural Computation, 1997)",
        "[{title}]({address}). *Neural Computation*, 1997.",
    ],
)
def test_a_journal_nobody_knows_is_a_venue_beside_its_year(text):
    (entry,) = parser.parse("- " + text.format(title=TITLE, address=ADDRESS))
    assert (entry.title, entry.venue, entry.year) == (TITLE, "Neural Computation", 1997)


@cases(
    "text",
    [
        "1. Attention is all\nyou need. NeurIPS 2017\n{address}\n2. Another Story of Caches\n",
        "1. Attention is all you need (NeurIPS 2017)\n{address}\n2. Another Story of Caches\n",
        "- Attention is all you need,\n  NeurIPS 2017\n  <{address}>\n- Another Story of Caches\n",
        "[1] Attention is all\nyou need, NeurIPS 2017\n{address}\n",
    ],
)
def test_a_numbered_title_goes_on_up_to_the_address_below_it(text):
    entry = parser.parse(text.format(address=ADDRESS))[0]
    assert (entry.title, entry.venue, entry.year) == ("Attention is all you need", "NeurIPS", 2017)
    assert entry.identifiers == ("arxiv:1706.03762",)


@cases("item", ["- vLLM", "- We should read this one soon", "- some links of this long day"])
def test_an_item_that_is_no_title_does_not_take_the_addresses_below_it(item):
    addresses = "\n".join(f"https://arxiv.org/abs/1706.0376{number}" for number in range(3))
    assert not parser.parse(f"{item}\n{addresses}\n")[0].identifiers


@cases(
    "line",
    ["2017\n", "Ada Lovelace, Alan Turing\n", "Words of a Title\n", f"{ADDRESS}\n", f"{ADDRESS}\nA Title of Words\n"],
)
def test_long_blocks_are_read_in_linear_time(line):
    assert_grows_with_its_text(parser.parse, lambda size: line * (size // len(line)))
