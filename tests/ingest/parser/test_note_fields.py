"""Front matter with lists, properties, and the code of sites around notes."""

from readtrack.ingest import parser
from tests.tables import cases

A, B = (f"https://arxiv.org/abs/2305.1577{n}" for n in (7, 8))


def entries(text):
    return [each for each in parser.parse(text) if each.kind != "blank"]


def found(text):
    return [
        (each.first, each.last, each.title, each.identifiers)
        for each in entries(text)
        if each.kind in {"paper", "lead"}
    ]


@cases(
    "items",
    [
        "  - title: A Story\n    url: {A}\n  - title: Two Stories\n    url: {B}\n",
        "- title: A Story\n  pdf: {A}\n- title: Two Stories\n  link: {B}\n",
        '- url: {A}\n  title: "A Story"\n- url: {B}\n  title: "Two Stories"\n',
        "-\n  title: A Story\n  links:\n    - {A}\n-\n  title: Two Stories\n  links:\n    - name: x\n      url: {B}\n",
        "- week: 1\n  paper:\n    title: A Story\n    url: {A}\n- paper:\n    title: Two Stories\n    url: {B}",
        "- {{title: A Story, url: {A}}}\n- {{title: Two Stories, url: {B}}}\n",
        '- "[A Story]({A})"\n- "[Two Stories]({B})"\n',
    ],
)
def test_each_item_of_a_list_in_front_matter_is_an_entry(items):
    text = f"---\nlayout: page\npapers:\n{items.format(A=A, B=B).rstrip()}\n---\n"
    assert [(title, names) for _, _, title, names in found(text)] == [
        ("A Story", ("arxiv:2305.15777",)),
        ("Two Stories", ("arxiv:2305.15778",)),
    ]
    assert sum(parser.tally(parser.parse(text)).values()) == len(text.splitlines())


def test_front_matter_may_be_long_and_each_item_tells_its_lines():
    items = "".join(
        f"  - title: A Story of {n} Caches\n    url: https://arxiv.org/abs/2305.{n}\n" for n in range(10000, 10200)
    )
    papers = found(f"---\npapers:\n{items}---\n")
    assert len(papers) == 200
    assert papers[-1][:2] == (401, 402)


def test_tables_of_toml_are_items():
    text = f'+++\ntitle = "x"\n[[papers]]\ntitle = "A Story"\nurl = "{A}"\n[[papers]]\ntitle = "B"\nurl = "{B}"\n+++\n'
    assert [title for _, _, title, _ in found(text)] == ["A Story", "B"]


def test_a_session_gives_its_topic_date_and_presenter_to_its_papers():
    text = (
        "---\nsessions:\n- date: 2024-01-08\n  topic: Storage, caching\n  speaker: Ada\n  papers:\n"
        f"  - title: A Story\n    url: {A}\n---\n"
    )
    (paper,) = (each for each in entries(text) if each.kind == "paper")
    assert (paper.topics, paper.text, paper.year, paper.read_on) == (
        ("Storage, caching",),
        "2024-01-08 · Ada",
        None,
        "",
    )


def test_people_in_lists_are_names():
    text = (
        "---\nreferences:\n- title: A Story\n  author:\n  - family: Lovelace\n    given: Ada\n"
        "  - name: Charles Babbage\n  issued:\n    year: 2017\n  DOI: 10.1145/1.2\n---\n"
    )
    (paper,) = (each for each in entries(text) if each.kind == "paper")
    assert (paper.authors, paper.year, paper.identifiers) == (
        ("Ada Lovelace", "Charles Babbage"),
        2017,
        ("doi:10.1145/1.2",),
    )


def test_links_of_a_menu_are_no_papers():
    text = "---\nnav:\n- title: Home of the Reading Group for Systems\n  url: /\n- title: Holiday\n---\n"
    assert found(text) == []


@cases(
    "text",
    [
        "title:: A Story\nitem-type:: [[x]]\nauthors:: [[Ada Lovelace]], [[Charles Babbage]]\ndoi:: 10.1145/1.2\n",
        "title:: @lovelace\noriginal-title:: A Story\nauthors:: Ada Lovelace, Charles Babbage\ndoi:: 10.1145/1.2\n",
        "- title:: A Story\n  authors:: Ada Lovelace, Charles Babbage\n  doi:: 10.1145/1.2\n",
        "- A Story\n  authors:: Ada Lovelace, Charles Babbage\n  doi:: 10.1145/1.2\n  id:: 64f1\n",
        "- [[@A Story of Caches]]\n  title:: A Story\n  author:: Ada Lovelace, Charles Babbage\n  doi:: 10.1145/1.2\n",
        "- A Story\n\t- item-type:: x\n\t- authors:: Ada Lovelace, Charles Babbage\n\t- doi:: 10.1145/1.2\n",
    ],
)
def test_properties_are_facts_on_the_paper(text):
    ((first, last, title, names),) = found(text)
    assert (first, last, title, names) == (1, len(text.splitlines()), "A Story", ("doi:10.1145/1.2",))
    assert entries(text)[0].authors == ("Ada Lovelace", "Charles Babbage")


@cases("properties", ["collapsed:: true", "id:: 64f1\n  collapsed:: true"])
def test_other_properties_of_an_item_say_nothing(properties):
    text = f"- Caches\n  {properties}\n  - [A Story]({A})\n"
    assert [(each.kind, each.title, each.topics) for each in entries(text)] == [
        ("topic", "Caches", ()),
        ("paper", "A Story", ("Caches",)),
    ]
    assert [each.kind for each in entries(f"icon:: x\nalias:: y\n\n- {A}\n")] == ["junk", "paper"]


@cases("text", ["std::vector is slow", "map :: a -> b"])
def test_code_with_colons_is_no_property(text):
    assert entries(text)[0].kind != "junk"


@cases(
    "code",
    [
        "div.program h3 {\n  color: red;\n}",
        "@media (max-width: 600px) {\n  .x { color: blue; }\n  .y {\n    margin: 0;\n  }\n}",
        "h3, .a > b { color: red; }",
        "{% include header.html %}",
        "{{ content }}",
        "{{< toc >}}",
        "{: .no_toc }",
        "<style>\nh3 { color: red }\n</style>",
        "<script>\nlet a = 1;\n</script>",
    ],
)
def test_code_of_a_site_is_ignored_with_a_reason(code):
    (entry, paper) = entries(f"{code}\n\n- [A Story]({A})\n")
    assert (entry.kind, entry.last, bool(entry.reason)) == ("junk", len(code.splitlines()), True)
    assert paper.topics == ()


@cases(
    "text",
    ["Sets {1, 2} and more", f"{{% include paper.html url={A} %}}", "<style> without end", "a {\nA Story of Caches"],
)
def test_text_with_braces_is_kept(text):
    assert all(entry.kind != "junk" for entry in entries(text))


def test_the_year_of_a_paper_is_that_of_its_venue_and_tags_may_state_a_status():
    fields = "venue:: ICML 2023\n  date:: 2024-01-02\n  tags:: [[nlp]], [[to read]]"
    (entry,) = parser.parse(f"- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n  {fields}\n")
    assert (entry.venue, entry.year, entry.status, entry.topics) == ("ICML", 2023, "to_read", ("nlp",))


def test_headings_in_a_note_on_one_journal_are_its_papers_and_a_tag_is_their_status():
    text = (
        "---\nPublisher: Transactions on Quiet Caches\n---\n"
        "#### Wires: A Story of Quiet Caches\n\n+ 2023\n+ why they are quiet\n+ #待读\n\n"
        "#### How does traffic affect the prediction of wires?\n\n+ 问题：太慢\n"
    )
    papers = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert [(paper.title, paper.venue, paper.status) for paper in papers] == [
        ("Wires: A Story of Quiet Caches", "Transactions on Quiet Caches", "to_read"),
        ("How does traffic affect the prediction of wires?", "Transactions on Quiet Caches", None),
    ]


def test_the_place_of_a_meeting_is_no_venue_of_papers():
    text = "---\nvenue: Room 12\n---\n# Wires: A Story of Quiet Caches\n\nwhy\n"
    assert {entry.venue for entry in parser.parse(text)} == {""}


def test_the_title_of_a_note_may_state_the_status_of_all_its_papers():
    text = "# TODO List\n\n## Caches\n\n### 2021\n\n- Story: Quiet Caches (OSDI'21)\n- Story: Loud Caches (OSDI'21)\n"
    papers = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    assert [(paper.status, paper.topics) for paper in papers] == 2 * [("to_read", ("Caches",))]


def test_fields_above_a_page_of_a_site_are_no_paper():
    text = "Title: Journal club: fall\nDate: 2016-09-09\nSlug: club\nCategory: Club\nAuthor: Ada Lovelace\n\n# Caches\n"
    assert [entry.kind for entry in parser.parse(text)] == ["junk", "blank", "topic"]


def test_a_topic_and_tags_in_front_matter_are_all_topics():
    note = f'---\ntitle: A Story\nurl: {A}\ntopic: Single, comma\ntags: [Nets deep, "Quoted, two"]\n---\n\nText.\n'
    assert entries(note)[0].topics == ("Single, comma", "Nets deep", "Quoted, two")
