"""What people write is shown and does nothing, whatever it is made of (A1, A4 to A8, A59)."""

import re
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from readtrack.markdown import render, render_title, sanitize_html
from readtrack.markdown.math import render_formula
from readtrack.markdown.mentions import People
from readtrack.markdown.render_context import RenderContext, Target
from tests import make
from tests.depth import examples, some

pytestmark = pytest.mark.slow

OWN = f"/images/{'0a' * 16}-640x480"
MATHML = """math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace
msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"""
HTML = """a blockquote br code del div em h3 h4 h5 h6 hr img li ol p pre s section span strong sub sup table tbody td th
thead tr ul"""
TAGS = {*MATHML.split(), *HTML.split()}
OF_FORMULAS = """accent accentunder columnspan depth display displaystyle fence form height largeop linethickness lspace
mathvariant maxsize minsize movablelimits notation rowspan rspace scriptlevel separator stretchy symmetric tabindex
voffset width class"""
ATTRIBUTES = {  # of each element; what is not named here has a class at most
    **{tag: {*OF_FORMULAS.split()} for tag in MATHML.split()},
    "a": {"href", "id", "title", "class", "rel"},
    "code": {"class", "title"},
    "img": {"src", "alt", "width", "height", "loading"},
    "li": {"class", "id"},
    "ol": {"start"},
    "table": {"tabindex"},
}
CLASS = re.compile(
    r"mention|reference|missing|outward|math|math-error|footnotes|footnote-ref|footnote-item|task|align-\w+|near-\w+|"
    r"apart|line-\w+|hl-\w+"
)
ID = re.compile(r"fn(ref)?-[0-9a-f]{12}-\d+(:\d+)?")
HREF = re.compile(
    rf"(?i:https?://[^/\\\s]|mailto:[^/\\\s]).*|#{ID.pattern}|{OWN}|/(people|papers)/\d+|/topics/[\w.~%-]+|"
    r"/papers/new\?text=[\w.~%-]+",
    re.DOTALL | re.ASCII,
)
AROUND = RenderContext(people={"ada": 7}, macros={"loss": r"\mathcal{L}", "evil": r"\text{<script>alert(1)</script>}"})

MUTATIONS = [  # each once got through a sanitiser, or a browser's second reading of what it had left
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    "<math><mtext><table><mglyph><style><math><img src=x onerror=alert(1)>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<svg><style><!--</style><img src=x onerror=alert(1)>",
    '<svg><desc><noscript><p title="</noscript><style onload=alert(1)>">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<noembed><p title="</noembed><img src=x onerror=alert(1)>">',
    "<noframes><style></noframes><img src=x onerror=alert(1)>",
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<template><s><template><img src=x onerror=alert(1)></template></s></template>",
    "<template><script>alert(1)</script></template>",
    "<select><template><img src=x onerror=alert(1)></template></select>",
    "<style>@import 'https://evil.example';</style><style><img src=\"</style><img src=x onerror=alert(1)>\">",
    '<title><p title="</title><img src=x onerror=alert(1)>"></title>',
    '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
    "<plaintext><img src=x onerror=alert(1)>",
    "<table><td><svg><desc></td></table><img src=x onerror=alert(1)>",
    '<a href="javas&Tab;cript:alert(1)">x</a><a href="\x01javascript:alert(1)">x</a>',
    '<svg><a xlink:href="javascript:alert(1)"><text y=9>x</text></a></svg>',
    "<svg><animate attributeName=href values=javascript:alert(1) /><use href=data:image/svg+xml,x /></svg>",
    "<math><maction actiontype=statusline#http://evil.example xlink:href=javascript:alert(1)>x</maction></math>",
    "<annotation-xml encoding=text/html><img src=x onerror=alert(1)></annotation-xml>",
    "<object data=javascript:alert(1)><embed src=javascript:alert(1)><applet code=x><frameset onload=alert(1)>",
    "<![CDATA[<img src=x onerror=alert(1)>]]><?xml-stylesheet href=x?><!DOCTYPE x [<!ENTITY a 'b'>]>",
    "<p/onclick=alert(1)//><p\fonclick=alert(1)><p\x00onclick=alert(1)>",
    "<img src=x:x onerror=alert(1)//><video><source onerror=alert(1)></video><audio src onerror=alert(1)>",
    "<details open ontoggle=alert(1)><summary>x</summary></details><marquee onstart=alert(1)>",
    "<b id=x tabindex=1 onfocus=alert(1) autofocus>x</b><input onfocus=alert(1) autofocus>",
]
HTMX = [
    '<p hx-get="/sign-out" hx-trigger="load">x</p>',
    '<p data-hx-post="/sign-out" data-hx-trigger="load">x</p>',
    '<p hx-on:click="alert(1)" hx-on::load="alert(1)" hx-on="load: alert(1)">x</p>',
    '<p hx-ext="x" hx-vals="js:{a: alert(1)}" hx-headers="js:{}" hx-boost="true" hx-swap-oob="true">x</p>',
    '<form action="/sign-out" method="post"><button formaction="/sign-out">x</button></form>',
    '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=//evil.example">',
    '<link rel="stylesheet" href="https://evil.example/x.css"><input name="csrf" value="x">',
    "<hx-partial hx-target=body>x</hx-partial><template id=x hx hx-swap=x>x</template>",
]
CLOBBERING = [
    "<a id=htmx name=location href=x>x</a>",
    "<form id=document name=cookie><input name=attributes><input id=querySelector></form>",
    "<img name=currentScript><object name=getElementById></object>",
    "[[<img src=x onerror=alert(1) id=flash>]]",
    "[[<a name=htmx>|<b id=main>]]",
    '[x](#main) [x](#htmx) [x](#fnref-000000000000-1" id="main)',
    "a[^main]\n\n[^main]: b\n\n[^main]: c",
]
FORMULAS = [
    r"\text{<script>alert(1)</script>}",
    r"\text{</mtext></math><img src=x onerror=alert(1)>}",
    r"\href{javascript:alert(1)}{x}",
    r"\url{javascript:alert(1)}",
    r"\class{htmx-indicator}{x}",
    r"\cssId{main}{x}",
    r"\style{position:fixed}{x}",
    r"\htmlData{hx-get=/sign-out}{x}",
    r"\includegraphics{https://evil.example/x.png}",
    r"\color{red;background:url(//evil.example)}{x}",
    r"\begin{align}a&=b\label{main}\end{align}",
    r"\def\a{\a}\a",
    r"\newcommand{\a}{\a\a}\a",
    r"\operatorname{<img src=x onerror=alert(1)>}",
    r"\unicode{x3C}script\unicode{x3E}",
    "{" * 3_000,
    r"\frac{" * 400 + "x" + "}{y}" * 400,
    "x" * 100_000,
    r"\evil",
]
TEMPLATES = [
    "{{7*191}}",
    "${7*191}",
    "#{7*191}",
    "<%= 7*191 %>",
    "{% raw %}",
    "%(x)s %s %d",
    "{0.format_map}",
    "{text}",
]
FLOODS = {
    text[:12]: text
    for text in (
        "[" * 20_000,
        "![" * 20_000,
        "[[" * 20_000,
        "`" * 20_000,
        "`a" * 20_000,
        "| a " * 20_000,
        "|-" * 20_000 + "\n" + "|-" * 20_000,
        "\n".join("|" * 300 for _ in range(300)),
        "- " * 20_000,
        "".join(f"{' ' * depth}- a\n" for depth in range(430)),
        "> " * 20_000,
        "1. " * 20_000,
        "*" * 20_000,
        "**a " * 20_000,
        "~~a" * 20_000,
        "$" * 20_000,
        "$a" * 20_000,
        "@a" * 20_000,
        "[^a]" * 20_000,
        "<" * 20_000,
        "&#" * 20_000,
        "\\" * 20_000,
        "https://a" * 9_000,
        "arXiv:2401.0" * 8_000,
        "```py\n" * 15_000,
        "# " * 20_000,
    )
}
PIECES = sorted({*chain.from_iterable(re.findall(r"<[^<>]*>?|[^<>]+", text) for text in [*MUTATIONS, *HTMX])})
MARKS = [
    "**",
    "_",
    "~~",
    "`",
    "```html\n",
    "\n```\n",
    "[",
    "](",
    ")",
    "![",
    "$",
    "$$",
    "|",
    "\n|-|\n",
    "> ",
    "- ",
    "\n",
]
MARKS += [
    "[[",
    "]]",
    "@ada",
    "[^1]",
    "\n\n[^1]: ",
    "\\",
    "&lt;",
    "&#106;",
    "javascript:",
    "https://a.b",
    OWN,
    "\n\n",
    "#",
]
MARKS += [
    f"![x]({OWN})",
    "](javascript:alert(1))",
    "](data:text/html,x)",
    r"\text{",
    "}",
    r"\loss",
    "<!--",
    "-->",
    "\0",
]


def assert_harmless(markup: str) -> None:
    """Every element and attribute, as a parser of the real world reads them, is one that we mean to be there."""
    for node in html.fromstring(f"<main>{markup}</main>").iterdescendants():
        assert isinstance(node.tag, str), f"a comment or an instruction: {node}"
        assert node.tag in TAGS
        assert set(node.attrib) <= ATTRIBUTES.get(node.tag, {"class"}), (node.tag, node.attrib)
        assert HREF.fullmatch(node.get("href", OWN)), node.get("href")
        assert node.get("src", OWN) == OWN
        assert ID.fullmatch(node.get("id", "fn-000000000000-1"))
        assert all(map(CLASS.fullmatch, node.get("class", "").split()))
        assert not any(name.startswith(("on", "hx-", "data-", "style", "name")) for name in node.attrib)


def read(markup: str) -> str:
    return html.fromstring(f"<main>{markup}</main>").text_content()


@pytest.mark.parametrize("text", MUTATIONS)
def test_a5_mutation_xss_markup_is_shown_as_text_or_removed(text):
    for around in (
        text,
        f"a {text} b",
        f"> {text}\n\n- {text}",
        f"| a |\n|-|\n| {text} |",
        f"**{text}**",
        f"[{text}](x)",
    ):
        assert_harmless(render(around, AROUND))
    assert_harmless(sanitize_html(text))
    assert sanitize_html(sanitize_html(text)) == sanitize_html(text)


@pytest.mark.parametrize("text", HTMX)
def test_a6_text_triggers_no_requests(text):
    assert_harmless(render(text, AROUND))
    assert_harmless(sanitize_html(text))
    assert "hx-" not in sanitize_html(text)


@pytest.mark.parametrize("text", CLOBBERING)
def test_a7_text_cannot_create_ids_that_scripts_would_use(text):
    shown = render(text, AROUND)
    assert_harmless(shown)
    ids = [node.get("id") for node in html.fromstring(f"<main>{shown}</main>").iter() if node.get("id")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("source", FORMULAS, ids=lambda source: source[:30])
def test_a4_a_formula_renders_as_mathml_or_as_its_source(source):
    for text in (f"${source}$", f"$$\n{source}\n$$", f"| a |\n|-|\n| ${source}$ |"):
        assert_harmless(render(text[:100_000], AROUND))
    assert_harmless(render_title(f"On ${source}$"))
    assert len(render_formula(source, display=True)) < 300_000


@pytest.mark.parametrize(
    "text",
    [
        "![a](http://10.0.0.1/a.png)",
        "![](/sign-out)",
        "![](sign-out)",
        "![](//evil.example/a.png)",
        "![](data:image/png;base64,AAAA)",
        f"![]({OWN}/../../sign-out)",
        f"![](https://evil.example{OWN})",
        f"![](.{OWN})",
        "![][1]\n\n[1]: /sign-out",
        "<img src=https://evil.example/a.png>",
        "<http://10.0.0.1/a.png>",
    ],
)
def test_a8_no_external_image_is_loaded(text):
    shown = render(text)
    assert "<img" not in shown
    assert_harmless(shown)


@pytest.mark.deep
@pytest.mark.parametrize("text", some(FLOODS.values(), 10), ids=some(FLOODS, 10))
def test_a5_a_flood_of_markup_is_rendered_cheaply(text):
    """Rendering ends (readtrack.markdown.budget), and its result is harmless and no larger than a page."""
    shown = render(text, AROUND)
    assert_harmless(shown)
    assert len(shown) < 2_000_000


@pytest.mark.parametrize("text", TEMPLATES)
def test_a59_template_syntax_is_shown_as_text(text):
    assert read(render(f"a {text} b")).strip() == f"a {text} b"
    assert read(render_title(f"a {text} b")) == f"a {text} b"
    assert "1337" not in render(f"# {text}\n\n- {text}\n\n[{text}](https://example.org)\n\n```\n{text}\n```")


def test_a59_template_syntax_is_inert_in_every_text_of_a_page(database, sign_in):
    said = " ".join(TEMPLATES)
    with database.write() as tx:
        ada = make.visitor(tx, "{{7*191}} %s", role="admin")
        paper = make.paper(tx, said, authors=[said], venue=said, abstract=said)
        make.summary(tx, ada.id, paper.id, said)
        make.comment(tx, ada.id, said, paper_id=paper.id)
        topic = make.topic(tx, said, markdown=said)
        make.filed(tx, paper, topic)
        slug = topic.slug
    browser = sign_in(ada)
    for address in ("/papers", f"/papers/{paper.id}", f"/topics/{slug}", "/topics", "/activity", "/settings/profile"):
        page = browser.get(address)
        assert page.status_code == 200, address
        assert "1337" not in read(page.text), address
        assert "{{7*191}}" in read(page.text), address


People_ = st.dictionaries(st.sampled_from(["ada", 'a" onclick="x', "<script>"]), st.integers(1, 99))
TARGETS = {"topic:x": Target("/topics/x", '"><img src=x onerror=alert(1)>')}


@given(st.lists(st.sampled_from([*PIECES, *MARKS]), max_size=14).map("".join), People_)
@settings(max_examples=examples(50), deadline=None)
def test_a1_any_combination_of_hostile_fragments_is_harmless_and_stable(text, people: People):
    around = AROUND._replace(people=people, references={text: TARGETS})
    shown = render(text, around)
    assert_harmless(shown)
    assert sanitize_html(shown) == shown


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=examples(50), deadline=None)
def test_a5_sanitising_removes_markup_the_parser_missed_and_is_idempotent(markup):
    cleaned = sanitize_html(markup)
    assert_harmless(cleaned)
    assert sanitize_html(cleaned) == cleaned
