"""Bookmarks exported by browsers and services: folders are topics, the day of saving is no day of reading."""

from readtrack.ingest import parser
from tests.tables import cases

HEAD = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1>\n<DL><p>\n"
ARXIV = '<A HREF="https://arxiv.org/abs/2305.15778" ADD_DATE="1695000000">A Story of Caches</A>'


def read(text):
    return [each for each in parser.parse(text) if each.kind != "blank"]


def papers(text):
    return [each for each in parser.parse(text) if each.kind == "paper"]


def test_folders_are_topics_with_their_ancestors():
    text = (
        f"{HEAD}<DT><H3>Systems</H3>\n<DL><p>\n<DT><H3>Storage</H3>\n<DL><p>\n<DT>{ARXIV}\n</DL><p>\n"
        '<DT><A HREF="https://arxiv.org/abs/2401.00134">Other Story</A>\n</DL><p>\n</DL><p>\n'
    )
    assert [(each.kind, each.title) for each in read(text) if each.kind == "topic"] == [
        ("topic", "Systems"),
        ("topic", "Storage"),
    ]
    assert [each.topics for each in papers(text)] == [("Systems", "Storage"), ("Systems",)]


@cases("name", ["Bookmarks bar", "Other bookmarks", "书签栏", "その他のブックマーク", "2023", "To read"])
def test_browser_folders_and_generic_names_are_not_topics(name):
    (paper,) = papers(f"{HEAD}<DT><H3>{name}</H3>\n<DL><p>\n<DT>{ARXIV}\n</DL><p>\n</DL><p>\n")
    assert paper.topics == ()


def test_tags_are_topics_and_a_description_is_the_text():
    tag = '<A HREF="https://arxiv.org/abs/2305.15778" TAGS="caches,storage" TOREAD="1">'
    text = f"{HEAD}<DT>{tag}A &amp; B</A>\n<DD>Good,\nand long\n</DL>\n"
    (paper,) = papers(text)
    assert (paper.title, paper.topics, paper.status) == ("A & B", ("caches", "storage"), "to_read")
    assert (paper.first, paper.last, paper.text) == (4, 6, "Good, and long")


def test_the_bookmark_date_is_not_imported():
    (paper,) = papers(f"{HEAD}<DT>{ARXIV}\n</DL><p>\n")
    assert (paper.published, paper.read_on, paper.year, paper.status) == ("", "", None, None)


def test_bookmarks_that_are_not_papers_keep_their_kind():
    text = (
        f'{HEAD}<DT><A HREF="https://github.com/a/b">a/b</A>\n<DT><A HREF="javascript:alert(1)">Do</A>\n'
        '<DT><A HREF="https://example.org/x">Some page</A>\n<DT><A HREF="place:sort=8">Most visited</A>\n</DL><p>\n'
    )
    found = parser.preview_json(read(text), "b")
    assert [each["kind"] for each in found if each["lines"][0] > 3] == ["code", "junk", "page", "junk"]


@cases(
    "text",
    [
        f"<DT>{ARXIV}",
        f"{HEAD}</DL></DL></DL><DT>{ARXIV}",
        f"{HEAD}<DT><H3>Systems<DL><DT>{ARXIV}",
        '<!doctype netscape-bookmark-file-1>\n<dt><a href="https://arxiv.org/abs/2305.15778">A Story of Caches',
        "<DT><A TITLE='a > b' HREF='https://arxiv.org/abs/2305.15778'\nADD_DATE='1'>A Story of\nCaches</A>",
    ],
)
def test_broken_nesting_loses_nothing(text):
    (paper,) = papers(text)
    assert (paper.title, paper.identifiers) == ("A Story of Caches", ("arxiv:2305.15778",))


def test_a_definition_list_in_a_text_is_not_a_bookmark_file():
    text = (
        '<dl>\n<dt><a href="https://arxiv.org/abs/2305.15778">A Story of Caches</a></dt>\n<dd>A. Person</dd>\n</dl>\n'
    )
    assert all("bookmark" not in each.reason for each in parser.parse(text))


def test_several_bookmarks_on_one_line_are_parts():
    text = f'{HEAD}<DT>{ARXIV}<DT><A HREF="https://arxiv.org/abs/2401.00134">Other</A>\n</DL>\n'
    assert [(each.first, each.part) for each in papers(text)] == [(4, 1), (4, 2)]


def test_text_below_the_bookmarks_is_parsed_as_usual():
    text = f"{HEAD}<DT>{ARXIV}\n</DL><p>\n\n# Networks\n- https://arxiv.org/abs/2401.00134\n"
    assert papers(text)[-1].topics == ("Networks",)


def test_a_read_later_export_tells_which_items_are_unread():
    text = (
        "<!DOCTYPE html>\n<html>\n<head><title>Pocket Export</title></head>\n<body>\n<h1>Unread</h1>\n<ul>\n"
        '<li><a href="https://arxiv.org/abs/2305.15778" time_added="1690000000" tags="caches">A Story</a></li>\n</ul>\n'
        '<h1>Read Archive</h1>\n<ul>\n<li><a href="https://arxiv.org/abs/2401.00134" tags="">Other</a></li>\n'
        "</ul>\n</body>\n</html>\n"
    )
    assert [(each.title, each.topics, each.status) for each in papers(text)] == [
        ("A Story", ("caches",), "to_read"),
        ("Other", (), "read"),
    ]


def test_a_description_without_words_adds_nothing():
    first, second = papers(f"{HEAD}<DT>{ARXIV}\n<DD>   \n<DT>{ARXIV.replace('15778', '15779')}\n<DD>To read\n</DL>")
    assert (first.text, second.text) == ("", "To read")
