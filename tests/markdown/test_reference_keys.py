"""What a text names, and the links that come of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from readtrack import markdown
from readtrack.infra.models.columns import MAX_KEY_CHARS
from readtrack.markdown import references
from readtrack.markdown.render_context import RenderContext, Target
from tests.depth import examples

ARXIV, DOI = "ref:arxiv:2305.15778", "ref:doi:10.1145/3627703.3650085"


def rendered(text, known):
    around = RenderContext(references={text: known})
    return html.fragment_fromstring(markdown.render(text, around), create_parent="div")


def links(text, known, kind="reference"):
    return [(link.get("href"), link.text_content()) for link in rendered(text, known).xpath(f"//a[@class='{kind}']")]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("as in [[Gemini]] and [[ gemini ]]", ["name:gemini"]),
        ("参考[[Gemini]]的做法，再看[[故障恢复|恢复]]。", ["name:gemini", "name:故障恢复"]),
        ("[[Ｇｅｍｉｎｉ]]", ["name:gemini"]),
        ("[[a_b_*c* $x$]]", ["name:a_b_*c* $x$"]),
        ("[[arxiv:2305.15778]] [[arXiv:2305.15778v2|this]]", [ARXIV]),
        ("[[https://arxiv.org/pdf/2305.15778]]", [ARXIV]),
        ("see arXiv:2305.15778v1.", [ARXIV]),
        ("詳細はarXiv:2305.15778を参照", [ARXIV]),
        ("见arXiv：2305.15778。", [ARXIV]),
        ("arXiv:math.GT/0309136", ["ref:arxiv:math/0309136"]),
        ("(doi:10.1145/3627703.3650085), DOI: 10.1145/3627703.3650085.", [DOI]),
        ("(10.1145/3627703.3650085), DOI 10.1145/3627703.3650085.", [DOI]),
        ("参照10.1145/3627703.3650085。", [DOI]),
        ("参照doi:10.1145/3627703.3650085。", [DOI]),
        ("<https://doi.org/10.1145/3627703.3650085>", [DOI]),
        ("https://arxiv.org/abs/2305.15778, and more", [ARXIV]),
        ('[text](https://arxiv.org/pdf/2305.15778v2 "title")', [ARXIV]),
        ("> - **[[Deep]]**\n\n| a |\n|---|\n| [[Deeper]] |", ["name:deep", "name:deeper"]),
        ("a note[^1]\n\n[^1]: of [[Gemini]]", ["name:gemini"]),
        ("`[[code]]`, $[[x]]$ and \\[[escaped]]\n\n```\n[[block]] arXiv:2305.15778\n```", []),
        ("[[]] [[ ]] [[|x]] [[a\nb]] [[a]b]] [x] [[^1]] [one] [[", []),
        ("xarXiv:2305.15778 example.org/arxiv:2305.15778 arXiv:23 doi:11.1/x 110.1145/x 2.10.1145/x 10.11/x", []),
        ("[" + "[" * 50 + "x" + "]" * 51, ["name:x"]),
    ],
)
def test_a_bracketed_reference_is_found_by_identifier_or_url(text, keys):
    assert list(markdown.list_reference_keys(text)) == keys


def test_brackets_show_the_label_after_the_bar_or_the_text_as_typed():
    known = {"name:gemini": Target("/topics/gemini", "Gemini (systems)"), ARXIV: Target("/papers/5", "A Title")}
    text = "[[gemini]] [[Gemini|it]] [[arxiv:2305.15778]] [[arxiv:2305.15778|that]] arXiv:2305.15778"
    assert links(text, known) == [
        ("/topics/gemini", "gemini"),
        ("/topics/gemini", "it"),
        ("/papers/5", "A Title"),
        ("/papers/5", "that"),
        ("/papers/5", "arXiv:2305.15778"),
    ]
    assert rendered(text, known).xpath("//a/@title")[0] == "Gemini (systems)"


def test_the_url_of_a_library_paper_links_to_it_with_a_small_link_to_the_url():
    known = {ARXIV: Target("/papers/5", "A Title")}
    text = "[their paper](https://arxiv.org/abs/2305.15778) https://arxiv.org/abs/2305.15778 https://example.org/x"
    assert links(text, known) == [("/papers/5", "their paper"), ("/papers/5", "A Title")]
    assert links(text, known, "outward") == [("https://arxiv.org/abs/2305.15778", "arxiv.org")] * 2
    assert rendered(text, known).xpath("//a[not(@class)]/@href") == ["https://example.org/x"]


def test_a_bracketed_name_that_does_not_exist_links_to_where_it_can_be_added():
    text = "[[Some & Title]] [[arxiv:2305.15778|it]] arXiv:2305.15778"
    assert links(text, {}, "reference missing") == [
        ("/papers/new?text=Some%20%26%20Title", "Some & Title"),
        ("/papers/new?text=arxiv%3A2305.15778", "it"),
    ]
    assert rendered(text, {}).text_content().endswith("it arXiv:2305.15778\n")


def test_a_text_whose_references_were_not_loaded_is_shown_as_typed():
    assert "<p>[[Gemini]] arXiv:2305.15778</p>" in markdown.render("[[Gemini]] arXiv:2305.15778", RenderContext())


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "{{7*7}}",
    "%s{0.__class__}",
    "javascript:alert(1)",
    "../../admin",
    "a&b=c#d?e",
    "\u202eevil",
    "x" * 290,
    "é" * 200,
    "\0x",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_shown_as_typed_and_links_nowhere_else(name):
    for known in ({}, {references.key_of(name): Target("/papers/5", name)}):
        body = rendered(f"[[{name}]]", known)
        assert body.text_content().strip() == name.replace("\0", "�").strip()
        assert {element.tag for element in body.iterdescendants()} <= {"p", "a"}
        (link,) = body.xpath("//a")
        assert set(link.attrib) <= {"href", "class", "title", "rel"}
        assert link.get("href") == "/papers/5" if known else link.get("href").startswith("/papers/new?text=")


def test_text_cannot_forge_an_internal_link():
    text = '[x](/papers/5) [y](/papers/new?text=a "title") <a class="reference" href="/papers/5">z</a>'
    assert not rendered(text, {}).xpath("//a[starts-with(@href, '/')]")


def test_the_number_of_references_is_limited():
    text = " ".join(f"[[n{number}]]" for number in range(references.MAX_REFERENCES + 50))
    assert len(markdown.list_reference_keys(text)) == references.MAX_REFERENCES
    assert len(links(text, {}, "reference missing")) == references.MAX_REFERENCES


def test_names_are_compared_by_the_same_prefix_as_titles():
    assert references.MAX_COMPARED_CHARS == MAX_KEY_CHARS


PIECES = st.one_of(
    st.sampled_from(
        ["[[", "]]", "|", "[", "]", "(", ")", "`", "*", "_", "$", "\n", "\n\n", "\\", "<", ">", "!", " ", "。"]
    ),
    st.sampled_from(
        ["Gemini", "故障恢复", "arXiv:2305.15778", "doi:10.1145/1", "https://arxiv.org/abs/2305.15778", "a|b"]
    ),
    st.text("ab [](|)`*", max_size=6),
)


@settings(max_examples=examples(50))
@given(st.lists(PIECES, max_size=25).map("".join))
def test_the_links_are_exactly_the_references(text):
    keys = markdown.list_reference_keys(text)
    known = {key: Target(f"/papers/{number}", "T") for number, key in enumerate(keys)}
    led = [href for href, _shown in links(text, known)]
    assert dict.fromkeys(led) == dict.fromkeys(target.href for target in known.values())
    assert not links(text, known, "reference missing")


@given(st.text(max_size=60).filter(lambda name: not set(name) & set("[]|\n\r\\`")))
def test_any_bracketed_name_is_referenced_by_its_key(name):
    inside = name.strip()
    if references.key_of(inside) and not name.startswith("^"):
        assert markdown.list_reference_keys(f"[[{name}]]") == (references.key_of(inside),)
