"""Outlines: what has others under it is a topic, and nothing in them is expanded."""

from readtrack.ingest import parser

HEAD, END = '<?xml version="1.0"?>\n<opml version="2.0">\n<head><title>T</title></head>\n<body>\n', "</body>\n</opml>\n"


def read(body):
    return [each for each in parser.parse(HEAD + body + END) if each.kind != "blank"]


def test_an_outline_item_with_children_is_a_topic_and_a_url_identifies_the_rest():
    topic, paper = read(
        '<outline text="Storage">\n<outline text="A &amp; B" url="https://arxiv.org/abs/2305.15778"/>\n</outline>\n'
    )
    assert (topic.kind, topic.title) == ("topic", "Storage")
    assert (paper.title, paper.identifiers, paper.topics) == ("A & B", ("arxiv:2305.15778",), ("Storage",))
    assert (topic.first, paper.first) == (5, 6)


def test_an_item_text_may_contain_a_link_or_only_a_url():
    found = read(
        '<outline text="&lt;a href=&quot;https://arxiv.org/abs/2305.15778&quot;&gt;A Story of Caches&lt;/a&gt;"/>\n'
        '<outline text="Other Story of Caches https://arxiv.org/abs/2401.00134"/>\n'
    )
    assert [(each.title, *each.identifiers) for each in found] == [
        ("A Story of Caches", "arxiv:2305.15778"),
        ("Other Story of Caches", "arxiv:2401.00134"),
    ]


def test_a_question_and_a_subject_are_distinguished():
    assert [each.kind for each in read('<outline text="Why is it slow?"/>\n<outline text="NCCL"/>\n')] == [
        "question",
        "topic",
    ]


def test_a_feed_is_not_a_paper():
    (feed,) = read('<outline type="rss" text="Blog" xmlUrl="https://blog.example.org/feed.xml"/>\n')
    assert feed.paper_kind != "paper"


def test_an_unclosed_outline_and_one_over_two_lines_are_read():
    found = read('<outline text="A Story of Caches"\n url="https://arxiv.org/abs/2305.15778">\n')
    assert (found[0].first, found[0].last, found[0].identifiers) == (5, 6, ("arxiv:2305.15778",))


def test_document_entities_are_not_expanded():
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<?xml version="1.0"?>\n<!DOCTYPE o [<!ENTITY l0 "lol">{lol}]>\n<opml>\n<outline text="&l11;"/>\n</opml>\n'
    assert max(len(each.text) for each in parser.parse(text)) < 1000


def test_text_below_the_outline_is_parsed_as_usual():
    found = parser.parse(f'{HEAD}<outline text="x"/>\n{END}# Networks\n')
    assert (found[-1].kind, found[-1].title, found[-1].first) == ("topic", "Networks", 8)


def test_a_paper_with_items_under_it_is_no_topic():
    paper, topic = read(
        '<outline text="https://arxiv.org/abs/2305.15778 On Caches">\n<outline text="Caching"/>\n</outline>\n'
        '<outline text=""/>\n'
    )
    assert (paper.kind, paper.identifiers) == ("paper", ("arxiv:2305.15778",))
    assert (topic.title, topic.topics) == ("Caching", ())


def test_an_outline_that_is_never_closed_ends_where_other_text_begins():
    text = f'{HEAD}<outline text="Caching"/>\n' + "A line of a diary.\n" * 60
    found = [each for each in parser.parse(text) if each.kind != "blank"]
    assert (found[0].title, found[-1].last) == ("Caching", 65)
