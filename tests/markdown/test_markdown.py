"""Safe HTML out of whatever people write: maths, links, Japanese and Chinese, and attacks (A4 to A8)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from readtrack.infra import errors
from readtrack.markdown import MAX_BYTES, render, render_formula, render_title, sanitize_html
from tests.depth import examples, some

pytestmark = pytest.mark.slow

FORMULAS = [
    r"E = mc^2",
    r"\frac{a}{b}",
    r"\sqrt[3]{x + y}",
    r"\sum_{i=1}^{n} x_i",
    r"\int_0^\infty e^{-x}\,dx",
    r"\prod_{k=1}^{K} p_k",
    r"O(n \log n)",
    r"\mathcal{O}(n^2 d)",
    r"\mathbb{R}^{n \times d}",
    r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
    r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
    r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}",
    r"\hat{x} \approx \bar{x} + \vec{v}",
    r"\lceil \log_2 n \rceil",
    r"\overbrace{a + b}^{\text{sum}}",
    r"\binom{n}{k}",
    r"\alpha, \beta, \gamma, \Omega",
    r"x \in A \cup B \subseteq C",
    r"\lim_{n \to \infty} a_n = 0",
    r"\frac{p - 1}{m + p - 1}",
    r"\text{訓練時間} = \frac{6ND}{\text{吞吐}}",
    r"\mathbf{W} = \mathbf{W}_0 + BA",
    r"\nabla_\theta \mathcal{L}(\theta)",
]
PICTURE = f"/images/{'0a' * 16}-640x480"
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "svg": "<svg onload=alert(1)>",
    "broken out of an attribute": '"><img src=x onerror=alert(1)>',
    "style": "<style>*{display:none}</style>",
    "noscript mutation": '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "math mutation": "<math><mi><table><mglyph><style><img src=x onerror=alert(1)>",
    "template": "<template><img src=x onerror=alert(1)></template>",
    "form": "<form action=/logout><input name=csrf></form>",
    "base": "<base href=https://evil.example/>",
    "refresh": '<meta http-equiv=refresh content="0;url=//evil.example">',
    "htmx": '<p hx-get="/logout" hx-on:click="x()" data-hx-post="/x" hx-ext="x">',
    "clobbering": '<a id=htmx name=location href="x">x</a>',
    "script in text": r"$\text{<script>alert(1)</script>}$",
    "out of maths": r"$\text{</mtext></math><img src=x onerror=alert(1)>}$",
    "maths link": r"$\href{javascript:alert(1)}{x}$",
    "maths class": r"$\class{evil}{x}$",
    "maths style": r"$\style{position:fixed}{x}$",
    "maths data": r"$\htmlData{hx-get=/logout}{x}$",
    "maths image": r"$\includegraphics{https://evil.example/x.png}$",
    "endless macro": r"$\def\a{\a}\a$",
    "growing macro": r"$\newcommand{\a}{\a\a}\a$",
    "javascript": "[x](javascript:alert(1))",
    "javascript, mixed case": "[x](JaVaScRiPt:alert(1))",
    "javascript, entity": "[x](&#106;avascript:alert(1))",
    "javascript, reference": "[x]\n\n[x]: javascript:alert(1)",
    "javascript, angle brackets": "<javascript:alert(1)>",
    "data": "[x](data:text/html,<script>alert(1)</script>)",
    "data image": "![x](data:image/png;base64,AAAA)",
    "vbscript": "[x](vbscript:x)",
    "file": "[x](file:///etc/passwd)",
    "own page": "[x](/logout)",
    "own page, relative": "[x](logout)",
    "other host without scheme": "[x](//evil.example)",
    "backslashes": r"[x](/\evil.example)",
    "no host": "[x](https:evil.example)",
    "clobbering footnote": "[x](#htmx)",
    "image of this site": "![](/logout)",
    "image of a private host": "![x](http://10.0.0.1/a.png)",
    "image of ours, climbing out": "![x](/images/../logout) ![x](/images/0a-1x1) ![x](//images/0a)",
    "address of an image, spoilt": f"![x]({PICTURE}/../../logout) ![x]({PICTURE}?x=1) ![x]({PICTURE}#x)",
    "image whose words break out": f'![" onerror="alert(1)]({PICTURE}) ![x]({PICTURE} "onload=alert(1)")',
    "wiki link with markup": "[[<img src=x onerror=alert(1)>]]",
    "quote in an address": '<https://a.example/"onmouseover="alert(1)>',
    "language of a listing": '```"><script>\nx\n```',
    "table alignment": "|a|\n|:-:|\n|<img src=x onerror=alert(1)>|",
}
MATHML = "math mfrac mi mn mo mover mrow mspace msqrt mroot mstyle msub msubsup msup mtable mtd mtext mtr munder"
HTML = (
    "a blockquote br code del div em h3 h4 h5 h6 hr img li ol p pre s section span strong sub sup "
    "table tbody td th thead"
)
TAGS = {*MATHML.split(), *HTML.split(), "tr", "ul", "munderover", "menclose", "mpadded", "mphantom"}
ATTRIBUTES = {"href", "id", "class", "rel", "start", "title", "display", "displaystyle", "scriptlevel", "accent"}
ATTRIBUTES |= {"stretchy", "lspace", "rspace", "width", "linethickness", "accentunder", "mathvariant", "form", "fence"}
ATTRIBUTES |= {
    "movablelimits",
    "separator",
    "symmetric",
    "largeop",
    "minsize",
    "maxsize",
    "height",
    "depth",
    "tabindex",
}
OF_IMAGES = {"src", "alt", "width", "height", "loading"}
OWN_IMAGE = re.compile(r"/images/[0-9a-f]{32}-[1-9][0-9]{0,3}x[1-9][0-9]{0,3}")
ADDRESS = re.compile(r"https?://[^/\\]|mailto:|#fn(ref)?-[0-9a-f]{12}-\d+(:\d+)?$")
PATHOLOGICAL = {
    "brackets": "[" * 20_000,
    "link openings": "[a](" * 20_000,
    "backticks": "".join("`" * n + " " for n in range(400)),
    "emphasis": "*a_" * 30_000,
    "stars": "* a " * 20_000,
    "quotes": ">" * 50_000,
    "nested lists": "".join(" " * n + "- a\n" for n in range(400)),
    "list markers": "- " * 40_000,
    "wide table": "a|" * 5_000 + "\n" + "-|" * 5_000 + "\n" + ("a|" * 5_000 + "\n") * 5,
    "definitions": "".join(f"[{n}]: http://a\n" for n in range(4_900)),
    "definitions, old Macintosh": "".join(f"[{n}]: http://a\r" for n in range(4_900)),
    "images in images": "![" * 2_000 + "](http://a)" * 2_000,
    "dollars": "$" * 50_000,
    "braces in maths": "$" + "{" * 900 + "}" * 900 + "$",
    "fractions in maths": "$" + r"\frac{" * 400 + "x" + "}{y}" * 400 + "$",
    "long formula": "$" + "x+" * 45_000 + "y$",
    "many footnotes": "".join(f"[^{n}]: x\n\n" for n in range(3_000)) + "[^1]" * 1_000,
    "ampersands": "&" * 100_000,
    "less than": "<" * 100_000,
    "addresses": "http://" * 14_000,
    "addresses between signs": "}http://a.b]" * 8_000,
}


def elements(markup: str) -> list[html.HtmlElement]:
    return [node for node in html.fragment_fromstring(markup, create_parent="div").iter() if isinstance(node.tag, str)]


def assert_harmless(markup: str) -> None:
    for element in elements(markup)[1:]:
        assert element.tag in TAGS
        assert set(element.attrib) <= (OF_IMAGES if element.tag == "img" else ATTRIBUTES)
        assert OWN_IMAGE.fullmatch(element.attrib.get("src", PICTURE))
        assert element.attrib.get("tabindex", "0") == "0"
        if "href" in element.attrib:
            assert ADDRESS.match(element.attrib["href"])
        if "id" in element.attrib:
            assert re.fullmatch(r"fn(ref)?-[0-9a-f]{12}-\d+(:\d+)?", element.attrib["id"])


@pytest.mark.parametrize("source", FORMULAS)
def test_a_formula_becomes_mathml(source):
    for text in (f"so ${source}$ holds", f"$$\n{source}\n$$"):
        shown = render(text)
        assert "<math" in shown
        assert "math-error" not in shown
        assert_harmless(shown)


@pytest.mark.deep
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_shown_and_inert(text):
    shown = render(f"before {text} after")
    assert_harmless(shown)
    assert_harmless(render(text))
    assert "before" in shown


@pytest.mark.parametrize("text", some(PATHOLOGICAL.values(), 9), ids=some(PATHOLOGICAL, 9))
def test_pathological_text_gives_a_page_of_bounded_size(text):
    shown = render(text)
    assert_harmless(shown)
    assert len(shown) < 1_000_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**「強調」**です", "<p><strong>「強調」</strong>です</p>"),
        ("これは**重要。**だから", "<p>これは<strong>重要。</strong>だから</p>"),
        ("これは\n続き", "<p>これは続き</p>"),
        ("it costs $5 and $6 today", "<p>it costs $5 and $6 today</p>"),
        ("see [[Ring Attention]] for more", "<p>see [[Ring Attention]] for more</p>"),
        ("# Title", "<h3>Title</h3>"),
        ("##### deep", "<h6>deep</h6>"),
        ("~~old~~", "<p><s>old</s></p>"),
        ("README.md and a@b.example", "<p>README.md and a@b.example</p>"),
        ("- [ ] todo", '<ul>\n<li class="task">☐ todo</li>\n</ul>'),
        ("- [x] done", '<ul>\n<li class="task">☑ done</li>\n</ul>'),
        ("```\nx < 1\n```", "<pre><code>x &lt; 1\n</code></pre>"),
        ("half \ud800 a character", "<p>half ? a character</p>"),
        ("", ""),
    ],
)
def test_text_is_rendered_as_written(text, shown):
    assert render(text).strip() == shown


def test_an_external_link_sends_no_referrer_and_is_nofollow():
    for text in ("[paper](https://example.org/a?x=1&y=2)", "https://example.org/a?x=1&y=2"):
        (link,) = (element for element in elements(render(text)) if element.tag == "a")
        assert link.attrib["href"] == "https://example.org/a?x=1&y=2"
        assert link.attrib["rel"] == "noopener noreferrer nofollow ugc"


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("![a diagram](https://example.org/d.png)", [("https://example.org/d.png", "a diagram")]),
        ("![](https://example.org/d.png)", [("https://example.org/d.png", "https://example.org/d.png")]),
        ("[![a diagram](https://a.example/d.png)](https://b.example)", [("https://b.example", "a diagram")]),
    ],
)
def test_an_external_image_becomes_a_link_so_that_no_host_learns_who_reads(text, links):
    found = [(element.attrib["href"], element.text) for element in elements(render(text)) if element.tag == "a"]
    assert found == links


def test_an_uploaded_image_is_lazy_loaded_with_its_size():
    (image,) = (element for element in elements(render(f"see ![a *big* gap]({PICTURE})")) if element.tag == "img")
    assert dict(image.attrib) == {
        "src": PICTURE,
        "alt": "a big gap",
        "width": "640",
        "height": "480",
        "loading": "lazy",
    }


def test_an_uploaded_image_can_be_a_link_and_be_linked():
    shown = elements(render(f"[![a]({PICTURE})](https://example.org) and [b]({PICTURE})"))
    assert [element.attrib["href"] for element in shown if element.tag == "a"] == ["https://example.org", PICTURE]
    assert [image.tag for a in shown if a.tag == "a" for image in a if image.tag == "img"] == ["img"]


def test_columns_keep_their_alignment_without_inline_styles():
    shown = render("| a | b |\n|--:|:-:|\n| 1 | 2 |")
    assert [element.attrib["class"] for element in elements(shown) if element.tag == "td"] == [
        "align-right",
        "align-center",
    ]
    assert "style" not in shown
    assert '<mtd class="align-right near-right">' in render_formula(r"\begin{aligned}a&=b\end{aligned}", display=True)


def test_scrollable_regions_are_keyboard_focusable():
    shown = render("$$\nx^2\n$$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nand $y$")
    assert [element.tag for element in elements(shown) if "tabindex" in element.attrib] == ["math", "table"]


def test_footnotes_of_two_texts_on_one_page_do_not_collide():
    first, second = (render(f"{word}[^1]\n\n[^1]: a note") for word in ("one", "two"))
    ids = [element.attrib["id"] for text in (first, second) for element in elements(text) if "id" in element.attrib]
    assert len(ids) == len(set(ids)) == 4
    targets = {element.attrib["href"][1:] for element in elements(first) if element.tag == "a"}
    assert targets == set(ids[:2])


def test_an_invalid_formula_shows_its_source_and_the_error():
    (code,) = (element for element in elements(render(r"a $\frac{1$ b")) if element.tag == "code")
    assert code.text == r"\frac{1"
    assert code.attrib["class"] == "math-error"
    assert code.attrib["title"].startswith("At character 8: ")


@pytest.mark.parametrize(
    "source", ["x" * 2_001, r"\sqrt" * 300 + "x", r"\newcommand{\a}{" + "x" * 1_500 + "}" + r"\a" * 90]
)
def test_an_oversized_formula_shows_its_source(source):
    assert render_formula(source, display=False).startswith('<code class="math-error" title="')


def test_a_text_with_excessive_markup_is_shown_as_typed():
    assert render("[" * 6_000) == f"<pre>{'[' * 6_000}</pre>"


def test_a_text_over_100_kb_is_refused_with_a_message():
    render("a" * MAX_BYTES)
    with pytest.raises(errors.TooLarge, match=r"120,000 bytes; the maximum is 100,000.*split it"):
        render("訓" * 40_000)


@pytest.mark.deep
@given(st.text(alphabet=st.sampled_from("ab<>[]()!*_`$\\{}^|#- \n\"'&;:/=~文。「")) | st.text())
@settings(max_examples=examples(50), deadline=None)
def test_sanitising_is_idempotent(text):
    shown = render(text)
    assert sanitize_html(shown) == shown
    assert_harmless(shown)


MARKUP = ["<math>", "<mi>", "<table>", "<style>", "<svg>", "<p>", "</p>", "<a href='javascript:x'>", "<!--", "-->", "x"]


@given(st.lists(st.sampled_from(MARKUP)).map("".join))
@settings(max_examples=examples(50), deadline=None)
def test_markup_the_parser_missed_is_removed(markup):
    assert_harmless(sanitize_html(markup))


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("In $x^2$ steps", "In <math><msup><mi>x</mi><mn>2</mn></msup></math> steps"),
        ("From $5 to $10, or $ 7 $", "From $5 to $10, or $ 7 $"),
        ("<b>Bold</b> & $\\nosuch{$", "&lt;b&gt;Bold&lt;/b&gt; &amp; $\\nosuch{$"),
        ("$\\href{javascript:alert(1)}{x}$", "$\\href{javascript:alert(1)}{x}$"),
        ("*not* [a link](https://example.org)", "*not* [a link](https://example.org)"),
    ],
)
def test_a_title_may_contain_formulas_and_no_other_markup(title, shown):
    assert render_title(title) == shown


def test_only_complete_ids_of_footnotes_are_kept():
    listed = '<li id="fn-0123456789ab-1">A note</li>'
    assert sanitize_html(listed) == listed
    assert sanitize_html(listed.replace("-1", "-1 saving")) == "<li>A note</li>"
