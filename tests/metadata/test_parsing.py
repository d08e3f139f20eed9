"""How texts of services are read: LaTeX, names, markup, dates, arXiv's free fields. What comes, and what is shown."""

import json
import string
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text import person_names
from readtrack.metadata.parsing import answers, arxiv_fields, authors, dates, json_ld, latex, markup
from readtrack.metadata.types import Ref
from tests.tables import cases

LATEX = [
    (r"Edgar Rold\'an", "Edgar Roldán"),
    (r"\'Edgar", "Édgar"),
    (r"{\'E}cole {\'{e}}t\'e", "École été"),
    (r"G{\"o}del and M\"uller and B\"{u}ttiker", "Gödel and Müller and Büttiker"),
    (r"Fran\c{c}ois, Fran\c cois", "François, François"),
    (r"\v{S}koda, Erd\H{o}s, Ho\u{g}an, \AA ngstr\"om", "Škoda, Erdős, Hoğan, Ångström"),
    (r"S\o ren, {\O}rsted, \L{}ukasz, Stra\ss e, {\ae}on, \oe uvre", "Søren, Ørsted, Łukasz, Straße, æon, œuvre"),
    (r"na\"{\i}ve, \'\i, Dvo\v r\'ak", "naïve, í, Dvořák"),
    (r"\.Z, \=a, \d{a}, \k{a}, \r{u}, \~n, \`a, \^e", "Ż, ā, ạ, ą, ů, ñ, à, ê"),
    (r"Poincar\'{e}'s don't", "Poincaré's don't"),
    (r"don\'t", "don't"),
    (r"\textit{On} \emph{the} \textbf{na\"ive} {\it way} {\bf of} \textsc{Things}", "On the naïve way of Things"),
    (r"\texttt{malloc}: {\sc Fast}", "malloc: Fast"),
    ("``Hello'' and `so'", "“Hello” and ‘so’"),
    ("5'' disks and rock 'n' roll", "5\" disks and rock 'n' roll"),
    ("pages 3--5 --- and --flag", "pages 3–5 — and --flag"),
    (r"Q\&A: 50\% of A\_B \#1 for \$5", "Q&A: 50% of A_B #1 for $5"),
    ("100% R&D #1 a_b x^2", "100% R&D #1 a_b x^2"),
    ("Fig.~1 by D.~E.~Knuth at ~10x of /~knuth", "Fig. 1 by D. E. Knuth at ~10x of /~knuth"),
    ("3~5x faster, 吞吐量~提升", "3~5x faster, 吞吐量~提升"),
    ("{DNN} Training on {GPU}s", "DNN Training on GPUs"),
    (r"a set \{x\} of {nested {braces}}", "a set {x} of nested braces"),
    ("an open { brace", "an open { brace"),
    ("a closed } one", "a closed } one"),
    ("line\n  wrapped", "line wrapped"),
    (r"\textsuperscript{2}H, H\textsubscript{2}O, 5\textsuperscript{th}", "²H, H₂O, 5th"),
    (r"\mu m, \alpha-stable, \Omega, 3 \times 4, a \to b", "μ m, α-stable, Ω, 3 × 4, a → b"),
    (r"Title\thanks{Supported by nobody} \footnote{really}", "Title"),
    (r"\href{https://example.org}{Kettle} \url{x.org}", "Kettle x.org"),
    (r"\unknown{kept} and \sysname: kept", r"kept and \sysname: kept"),
    (r"C:\temp", r"C:\temp"),
    ("eﬃcient ﬁles", "efficient files"),
    (r"\varepsilon and \varphi", "ε and φ"),
    ("`so's", "`so's"),
    (r"Caf\'{}e \~{} \^{}", "Cafe ~ ^"),
    ("\\", "\\"),
    ("", ""),
    # maths stays raw; a dollar without its fellow is money
    (r"An $O(n \log n)$ bound", r"An $O(n \log n)$ bound"),
    (r"$\alpha$-R\'enyi and $x'$", r"$\alpha$-Rényi and $x'$"),
    (r"with $ \beta $ set apart", r"with $\beta$ set apart"),
    (r"$$E = mc^2$$ and \(n\) and \[m\]", "$E = mc^2$ and $n$ and $m$"),
    ("from $100k to $1M", "from $100k to $1M"),
    ("a $100k budget", "a $100k budget"),
    (r"$5 and R\'enyi for $6", "$5 and Rényi for $6"),
    (r"$100k for $O(n)$", "$100k for $O(n)$"),
    (r"\ensuremath{k}-means", "$k$-means"),
]


@cases(("written", "shown"), LATEX)
def test_latex_becomes_characters_and_math_stays(written, shown):
    assert latex.decode_latex(written) == shown


@cases("shown", [shown for _, shown in LATEX if "\\" not in shown])
def test_converting_again_changes_nothing(shown):
    again = latex.decode_latex(shown)
    assert again == latex.decode_latex(again)


@given(st.text(string.ascii_letters + string.digits + " .,:;!?()[]-/+*=#%&@é山ß", max_size=60))
def test_text_without_latex_is_unchanged(text):
    plain = text.replace("--", "-").replace("--", "-").replace("--", "-")
    if "--" not in plain:
        assert latex.decode_latex(plain) == " ".join(plain.split())


@given(st.text(r"\{}$'`~-^aeiocv( )[]" + '"', max_size=80))
def test_any_text_can_be_converted(text):
    assert isinstance(latex.decode_latex(text), str)


@pytest.mark.deep
@cases("piece", ["{", "}", r"\'", "$a ", "$", "''", "`", r"\(", r"{\it ", r"\c", "--", "$a$1"])
def test_hostile_latex_is_converted_quickly(piece):
    started = time.process_time()
    latex.decode_latex(piece * (50_000 // len(piece)))
    assert time.process_time() - started < 10


NAMES = [
    ("Teapot, Ada", "Ada Teapot"),
    ("Ada  Teapot", "Ada Teapot"),
    ("van der Berg, Jan", "Jan van der Berg"),
    ("de la Cruz, María José", "María José de la Cruz"),
    ("King, Jr., Martin Luther", "Martin Luther King Jr."),
    ("King, Martin Luther, Jr.", "Martin Luther King Jr."),
    ("Martin Luther King, Jr.", "Martin Luther King Jr."),
    ("Gates, William H., III", "William H. Gates III"),
    ("山田, 花子", "山田 花子"),
    ("山田，花子", "山田 花子"),
    ("김, 민수", "김 민수"),
    ("Yamada, 花子", "花子 Yamada"),
    ("Ada Teapot, PhD", "Ada Teapot"),
    ("Teapot, Ada, Ph.D.", "Ada Teapot"),
    ("OpenAI, Inc.", "OpenAI, Inc."),
    ("ATLAS Collaboration, The", "ATLAS Collaboration, The"),
    ("H1 Collaboration", "H1 Collaboration"),
    ("Teapot,", "Teapot"),
    (", Ada", "Ada"),
    ("Plato", "Plato"),
    ("", ""),
]


@cases(("written", "shown"), NAMES)
def test_given_names_come_first(written, shown):
    assert person_names.given_first(written) == shown


@cases(
    ("written", "shown"),
    [
        ("Wei Liu 0008", "Wei Liu"),
        ("Xiaopeng Zhang 0009 ", "Xiaopeng Zhang"),
        ("Jane Doe", "Jane Doe"),
        ("C3 PO", "C3 PO"),
        ("Agent 47", "Agent 47"),
        ("0008", "0008"),
    ],
)
def test_numbers_of_namesakes_are_removed(written, shown):
    assert authors.without_number(written) == shown


INTEGRAL = (
    '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mi>O</mml:mi><mml:mo>(</mml:mo>'
    "<mml:msup><mml:mi>n</mml:mi><mml:mn>2</mml:mn></mml:msup><mml:mo>)</mml:mo></mml:math>"
)
SPRINGER = r"<jats:tex-math>\documentclass{minimal}\begin{document}$$O(n)$$\end{document}</jats:tex-math>"
MARKUP = [
    ("Tea &amp; Coffee", "Tea & Coffee"),
    ("Tea &amp;amp; Coffee", "Tea & Coffee"),
    ("<i>Kettle</i>: <b>Hot</b> <scp>Water</scp>", "Kettle: Hot Water"),
    ("&lt;i&gt;Kettle&lt;/i&gt; boils", "Kettle boils"),
    ("CO<sub>2</sub> at 10<sup>5</sup> the 5<sup>th</sup> time", "CO₂ at 10⁵ the 5th time"),
    ("<jats:title>Abstract</jats:title><jats:p>One <jats:italic>two</jats:italic>.</jats:p>", "One two."),
    ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
    ("<p><b>Abstract:</b> One.</p>", "One."),
    ("One<br/>two<br>three", "One two three"),
    ('<a href="https://example.org">Kettle</a>', "Kettle"),
    ("std::vector<T> with a < b and c > d", "std::vector<T> with a < b and c > d"),
    ("a <5% change", "a <5% change"),
    ("before<!-- hidden -->after", "before after"),
    ("<script>alert(1)</script>Kettle<style>p{}</style>", "Kettle"),
    (f"In {INTEGRAL} steps", "In $O(n^{2})$ steps"),
    ("An <math><mi>n</mi></math>-body problem", "An n-body problem"),
    ("<math><mfrac><mi>a</mi><mi>log</mi></mfrac></math>", r"$\frac{a}{\mathrm{log}}$"),
    ("<math><msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt></math>", r"$\sqrt{x+1}$"),
    ("<math><mi>&alpha;</mi></math>-stable", "α-stable"),
    ("<math><mi>n</mi><annotation encoding='application/x-tex'>n_0</annotation></math>", "$n_0$"),
    (f"<jats:alternatives>{SPRINGER}{INTEGRAL}</jats:alternatives> steps", "$O(n)$ steps"),
    (f"<jats:inline-formula>{SPRINGER}</jats:inline-formula>", "$O(n)$"),
    (f"<jats:alternatives><inline-graphic href='x'/>{INTEGRAL}</jats:alternatives>", "$O(n^{2})$"),
    ("<math><mi>n</math> is not closed", "n is not closed"),
    ("<math> never closed", "<math> never closed"),
    ("<b", "<b"),
    ("", ""),
]  # fmt: skip


@cases(("written", "shown"), MARKUP)
def test_markup_becomes_text_or_a_formula(written, shown):
    assert markup.strip_markup(written) == shown


def test_words_within_a_formula_stay_words():
    formula = "<math><mtext>for large</mtext><msup><mi>n</mi><mn>2</mn></msup></math>"
    assert markup.strip_markup(formula) == "$for large n^{2}$"


def test_a_closing_brace_without_an_opening_one_can_be_left_out():
    assert latex.decode_latex("a } b", lone_braces=False).split() == ["a", "b"]


def test_what_is_nested_too_deep_is_left_out_of_a_stored_answer():
    nested: list[object] = []
    for _ in range(100):
        nested = [nested]
    kept = json.loads(answers.serialize_answer({"title": "Herons", "odd": nested}))
    assert (kept["title"], "[null]" in json.dumps(kept)) == ("Herons", True)


def test_a_huge_answer_is_stored_shortened():
    huge = {f"name {one}": {f"name {other}": "x" * 50 for other in range(60)} for one in range(120)}
    assert 0 < len(json.loads(answers.serialize_answer(huge))) < len(huge)


def test_a_script_that_is_too_long_tells_of_no_work():
    said = '{"@type": "Article", "name": "Herons"}'
    assert len(json_ld.list_works([said, f"{said}{' ' * json_ld.MAX_SCRIPT_CHARS}"])) == 1


@cases("text", ["nonsense", ":key", "scheme:", ""])
def test_an_identifier_needs_a_scheme_and_a_key(text):
    with pytest.raises(ValueError, match="scheme:key"):
        Ref.parse(text)


@pytest.mark.deep
@cases(
    "piece",
    ["<", "<p ", "<math>", "<!--", "<jats:alternatives>", "<math></math>", "&amp;", "<sub>", "<title>", "<tex-math>"],
)
def test_hostile_markup_is_converted_quickly(piece):
    started = time.process_time()
    markup.strip_markup(piece * (100_000 // len(piece)))
    markup.strip_markup(f"<math>{piece * (50_000 // len(piece))}</math>")
    assert time.process_time() - started < 10


def test_entities_in_formulas_are_not_expanded_repeatedly():
    laughs = "<!DOCTYPE m [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><math><mi>&b;</mi></math>"
    assert "haha" not in markup.strip_markup(laughs)


DATES = [
    ([[2024, 4, 22]], 2024, date(2024, 4, 22)),
    ({"date-parts": [[2012, 3, 21]]}, 2012, date(2012, 3, 21)),
    ({"date-parts": [[2007, 7]]}, 2007, None),
    ({"date-parts": [[None]]}, None, None),
    ({"year": "2020", "month": "2", "day": "29"}, 2020, date(2020, 2, 29)),
    ([["2012", "3", "4"]], 2012, date(2012, 3, 4)),
    ([2021, None, 5], 2021, None),
    ([2021], 2021, None),
    ([], None, None),
    ([[]], None, None),
    (2021, 2021, None),
    ("2021", 2021, None),
    ("2021-06", 2021, None),
    ("2021-06-09", 2021, date(2021, 6, 9)),
    ("2021/6/9", 2021, date(2021, 6, 9)),
    ("2021.06.09", 2021, date(2021, 6, 9)),
    ("20210609", 2021, date(2021, 6, 9)),
    ("2021-06-09T01:02:03Z", 2021, date(2021, 6, 9)),
    ("2007-10-08T00:00:00-04:00", 2007, date(2007, 10, 8)),
    ("9 June 2021", 2021, date(2021, 6, 9)),
    ("9th Jun. 2021", 2021, date(2021, 6, 9)),
    ("June 9, 2021", 2021, date(2021, 6, 9)),
    ("Sept 2021", 2021, None),
    ("2021 Jun 9", 2021, date(2021, 6, 9)),
    ("Tue, 05 Mar 2019 23:10:23 GMT", 2019, date(2019, 3, 5)),
    ("2021年6月9日", 2021, date(2021, 6, 9)),
    ("2021年6月", 2021, None),
    ("06/09/2021", 2021, None),  # June or September
    ("2021-02-30", 2021, None),
    ("2021-13-01", 2021, None),
    ("between 2019 and 2021", None, None),
    ("0000-00-00", None, None),
    ("9999", None, None),
    ("yesterday", None, None),
    (date(2021, 6, 9), 2021, date(2021, 6, 9)),
    (None, None, None),
    (True, None, None),
    (2021.5, None, None),
    ([2021, 10**30, 1], 2021, None),
    (b"2021", None, None),
    ("٢٠٢١", None, None),
]


@cases(("said", "year", "day"), DATES)
def test_only_a_complete_date_is_a_day(said, year, day):
    assert dates.day(said) == (year, day)


@pytest.mark.deep
@given(st.recursive(st.none() | st.integers() | st.floats() | st.text(max_size=12), st.lists, max_leaves=5))
def test_any_date_can_be_parsed(said):
    year, day = dates.day(said)
    assert day is None or day.year == year


JOURNAL_REFS = [
    ("SC '23", "SC 2023"),
    ("Proc. ACM Program. Lang. 4, POPL, Article 12 (2020)", "Proc. ACM Program. Lang. 4, POPL, Article 12 (2020)"),
    ("Phys. Rev. B 85, 115117 (2012)", "Phys. Rev. B 85, 115117 (2012)"),
    ("Tea Letters 521, 436 (2015), doi:10.1234/tea.5", "Tea Letters 521, 436 (2015)"),
    ("Advances in Neural Information Processing Systems 30 (2017) 5998-6008", "NeurIPS 2017"),
    ("17th USENIX Symposium on Operating Systems Design and Implementation, 2023", "OSDI 2023"),
    ("In Proceedings of ICML'19, Long Beach", "ICML 2019"),
    ("To appear in ICML 2023", "ICML 2023"),
    ("Accepted for publication in the Journal of Tea", "Journal of Tea"),
    ("PhD thesis, University of Tea, 2010", "PhD thesis, University of Tea, 2010"),
    ("Submitted to the Journal of Tea", ""),
    ("under review", ""),
    ("12 pages", ""),
    ("doi:10.1145/3627703.3650085", ""),
    ("https://doi.org/10.1145/3627703.3650085", ""),
    ("arXiv:2305.15778", ""),
    ("", ""),
    (None, ""),
]


@cases(("said", "venue"), JOURNAL_REFS)
def test_a_journal_reference_is_a_venue_only_if_it_names_one(said, venue):
    assert arxiv_fields.venue(said) == venue


REMARKS = [
    ("12 pages,\n 5 figures", "", "12 pages, 5 figures"),
    (None, "", ""),
    ("This paper has been withdrawn by the author", "", "withdrawn: This paper has been withdrawn by the author"),
    ("Withdrawn", "", "withdrawn: Withdrawn"),
    ("9 pages. Paper withdrawn due to an error", "", "withdrawn: 9 pages. Paper withdrawn due to an error"),
    (
        "This submission has been withdrawn by arXiv administrators", "",
        "withdrawn: This submission has been withdrawn by arXiv administrators",
    ),
    ("", "This paper has been withdrawn due to a crucial error in equation 3.", "withdrawn"),
    ("", "We study how a drug was withdrawn by the authors of a trial.", ""),
    ("Withdrawn from TEACONF 2024", "", "Withdrawn from TEACONF 2024"),
    ("Write to ada@example.org", "", "Write to"),
]  # fmt: skip


@cases(("comment", "abstract", "remark"), REMARKS)
def test_a_comment_is_a_remark_and_reveals_withdrawals(comment, abstract, remark):
    assert arxiv_fields.remark(comment, abstract) == remark


def test_paragraphs_of_an_abstract_stay_separate_and_wrapped_lines_are_joined():
    said = "  Kettles \\emph{boil}\nslowly.\n  They sing, says ada@example.org.\n\nAt $100$ degrees.\n"
    assert arxiv_fields.prose(said) == "Kettles boil slowly.\n\nThey sing, says .\n\nAt $100$ degrees."


def test_every_claimed_doi_is_another_identifier_except_arxivs_own():
    dois = arxiv_fields.find_published_dois(
        "10.1145/3627703.3650085 10.48550/arXiv.2305.15778", "Tea 5, doi: 10.1234/TEA.5.", None
    )
    assert dois == (Ref("doi", "10.1145/3627703.3650085"), Ref("doi", "10.1234/tea.5"))
