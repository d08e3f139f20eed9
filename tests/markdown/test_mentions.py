"""Who is meant by an @ in a text, and the links that come of it."""

import itertools
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from readtrack import markdown
from readtrack.infra.text import normalize
from readtrack.markdown import mentions
from readtrack.markdown.render_context import RenderContext
from tests.depth import DEEP, examples

PEOPLE = {"aki": 1, "aki tanaka": 2, "田中": 3, "田中太郎": 4, "ken": 5, "jean-luc": 6, "o'brien": 7, "j. doe": 8}


def meant(text):
    return [
        mention.person_id for piece in markdown.extract_words(text) for mention in mentions.find_mentions(piece, PEOPLE)
    ]


def linked(text):
    document = html.fragment_fromstring(markdown.render(text, RenderContext(PEOPLE)), create_parent="div")
    return [int(link.get("href").removeprefix("/people/")) for link in document.xpath("//a[@class='mention']")]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("@ken see Figure 6", [5]),
        ("@KEN, @Ｋｅｎ and ＠ken.", [5, 5, 5]),
        ("@Aki Tanaka wrote it", [2]),
        ("@Aki wrote it", [1]),
        ("@aki's idea", [1]),
        ('@"Aki Tanaka"!', [2]),
        ("@“Aki Tanaka”", [2]),
        ('@"Aki" Tanaka', [1]),
        ("请@田中看一下", [3]),
        ("@田中太郎さん", [4]),
        ("@田中さん", [3]),
        ("@Kenさん", [5]),
        ("@O'Brien and @J. Doe and @jean-luc.", [7, 8, 6]),
        ("(@ken)", [5]),
        ("**@ken** _@aki_", [5, 1]),
        ("> @ken said", [5]),
        ("| a | b |\n|---|---|\n| @ken | @aki |", [5, 1]),
        ("@kenji @ken_2 @ken-notes", []),
        ("mail a@ken.org, ken@aki, https://example.org/@ken, example.org/@ken", []),
        ("`@ken` and $@ken$ and [@ken](https://example.org)", []),
        ("```\n@ken\n```", []),
        ("@@ken @ ken @\nken @", []),
        ("@nobody @", []),
        ("@Aki  Tanaka", [2]),
        ("@Aki\nTanaka", [1]),
    ],
)
def test_the_longest_matching_name_is_mentioned(text, people):
    assert meant(text) == people
    assert linked(text) == people


def test_a_mention_links_to_the_person_and_shows_the_name_as_typed():
    assert markdown.render('@"Aki Tanaka" & <b>', RenderContext(PEOPLE)) == (
        '<p><a href="/people/2" class="mention" rel="noopener noreferrer nofollow ugc">@Aki Tanaka</a>'
        " &amp; &lt;b&gt;</p>\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "[x](/people/5)",
        '<a href="/people/5">x</a>',
        "[x]: /people/5\n\n[x]",
        "![x](/people/5)",
        "[x](//people/5)",
        "</people/5>",
    ],
)
def test_only_a_mention_links_to_an_internal_page(text):
    assert not html.fragment_fromstring(markdown.render(text, RenderContext(PEOPLE)), "div").xpath("//a[@href]")


def test_a_name_that_looks_like_markup_is_plain_text():
    people = {normalize.key("<script>alert(1)</script>"): 1, normalize.key('a" onclick="x'): 2}
    shown = html.fragment_fromstring(
        markdown.render('@<script>alert(1)</script> @a" onclick="x', RenderContext(people)), "div"
    )
    assert {node.tag for node in shown.iter()} <= {"div", "p", "a"}
    assert {name for node in shown.iter() for name in node.attrib} <= {"href", "class", "rel"}


def test_without_known_people_nobody_is_mentioned():
    assert markdown.render("@ken", RenderContext()) == markdown.render("@ken") == "<p>@ken</p>\n"


def test_the_written_form_of_a_name_mentions_exactly_that_person():
    assert mentions.format_mention('Al "Bo" Cy') == '@Al "Bo" Cy'
    for name, person_id in PEOPLE.items():
        assert meant(f"see {mentions.format_mention(name)}, please") == [person_id], name


def test_at_most_fifty_mentions_are_considered():
    assert len(linked("@ken " * 80)) == mentions.MAX_MENTIONS
    assert len(linked("@ken\n" * 80)) == mentions.MAX_MENTIONS


@pytest.mark.deep
@pytest.mark.parametrize("text", ["@a " * 30_000, "@" * 100_000, '@"' * 50_000, "@田" * 20_000, "@a\n\n" * 20_000])
def test_a_flood_of_at_signs_takes_no_longer_than_other_text(text):
    text = text if DEEP else text[:20_000]
    began = time.monotonic()
    markdown.render(text, RenderContext(PEOPLE))
    mentions.candidate_names([text])
    assert time.monotonic() - began < 20


def test_names_are_sought_in_every_text_the_first_of_each_before_the_second_of_any():
    asked = mentions.candidate_names(["@ken @aki", "@O'Brien and @ken", "nobody"])
    assert {"ken", "aki", "o'brien"} <= {*asked}
    assert asked.index("o'brien") < asked.index("aki")
    flood = ["".join(f"@{chr(0x4E00 + number)}{'田' * 99}" for number in range(50))] * 200
    assert "ken" in mentions.candidate_names([*flood, "@ken"])


NAMES = st.text(st.sampled_from("aAbＢ 田ß-.'\"@\n_"), min_size=1, max_size=8)


HOSTILE = [
    *(
        "@ken",
        "@Aki Tanaka",
        '@"Aki Tanaka"',
        "@",
        "＠",
        "$",
        "$$",
        "$x$",
        "\\text{",
        "}",
        "\\",
        "`",
        "```\n",
        "[",
        "]",
        "(",
    ),
    *(
        "](",
        "](/people/1",
        "[x]: ",
        "![",
        "^[",
        "[^1]",
        "\n[^1]: ",
        "\n\n",
        "> ",
        "- ",
        "|",
        "\n|---|\n",
        "**",
        "_",
        "~~",
    ),
    *(
        "javascript:alert(1)",
        "\\href{javascript:alert(1)}{",
        "<img src=x onerror=alert(1)>",
        "<script>",
        "</a>",
        "</math>",
    ),
    *(
        "<a id=htmx name=location href=/people/1 class=mention>",
        "[x](#fn-0123456789ab-1)",
        "hx-get=/x",
        " id=x",
        "{{7*7}}",
    ),
    *("<https://a@ken>", "https://ken@aki/@ken", "&#64;ken", "&lt;", "<", "\u202e", " ", "a", "田中"),
]
LINKS = r"https?://[^/]|mailto:|#fn(ref)?-[0-9a-f]{12}-|/people/[0-9]+$"


@settings(max_examples=examples(50))
@given(text=st.lists(st.sampled_from(HOSTILE), max_size=25).map("".join))
def test_a5_a7_mixing_markup_names_and_formulas_causes_no_script_id_or_wrong_link(text):
    people = {**PEOPLE, "<script>": 9, "$x$": 10, "ken](javascript:alert(1))": 11, "`": 12, "a": 13}
    people = {key: people[key] for key in mentions.candidate_names([text]) if key in people}
    shown = html.fragment_fromstring(markdown.render(text, RenderContext(people)), create_parent="div")
    attributes = [(name, value) for node in shown.iterdescendants() for name, value in node.attrib.items()]
    assert not [name for name, _ in attributes if name.startswith(("on", "hx", "data", "style", "name", "src"))]
    assert all(re.match(LINKS, value) for name, value in attributes if name == "href")
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len({*ids})
    assert all(re.match(r"fn(ref)?-[0-9a-f]{12}-", value) for value in ids)
    led = {int(link.get("href").removeprefix("/people/")) for link in shown.xpath("//a[@class='mention']")}
    spoken = markdown.extract_words(text)
    assert led == {mention.person_id for piece in spoken for mention in mentions.find_mentions(piece, people)}
    assert len(shown.xpath("//a[starts-with(@href, '/people/')]")) == len(shown.xpath("//a[@class='mention']"))


@given(text=st.lists(NAMES, max_size=8).map("@".join), known=st.lists(NAMES, max_size=5))
def test_candidate_names_include_everybody_who_is_mentioned(text, known):
    people = {normalize.key(name): number for number, name in enumerate(known)}
    asked = {key: people[key] for key in mentions.candidate_names([text]) if key in people}
    found = mentions.find_mentions(text, people)
    assert mentions.find_mentions(text, asked) == found
    assert all(text[mention.start] in "@＠" for mention in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
