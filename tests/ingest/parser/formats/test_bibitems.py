r"""References in LaTeX: `\bibitem` with blocks, quotes or sentences."""

from readtrack.ingest import parser
from tests.tables import cases


def papers(text):
    return [each for each in parser.parse(text) if each.kind == "paper"]


@cases(
    ("reference", "title", "authors", "venue", "year"),
    [
        (
            r"\bibitem{a} A. Vaswani, N. Shazeer. Attention is all you need. In \emph{NeurIPS}, 2017.",
            "Attention is all you need",
            ("A. Vaswani", "N. Shazeer"),
            "NeurIPS",
            2017,
        ),
        (
            r"\bibitem{a} K. He, X. Zhang. \newblock Deep residual learning. \newblock {\em CVPR}, 2016.",
            "Deep residual learning",
            ("K. He", "X. Zhang"),
            "CVPR",
            2016,
        ),
        (
            "\\bibitem[Dean(2004)]{a}\nJ. Dean.\n\\newblock {MapReduce}.\n\\newblock In \\emph{OSDI}, 2004.",
            "MapReduce",
            ("J. Dean",),
            "OSDI",
            2004,
        ),
        (
            r"\bibitem{a} W. Kwon, Z. Li, \emph{et~al.}, ``Serving with {Pages},'' in \emph{Proc. SOSP}, 2023.",
            "Serving with Pages",
            ("W. Kwon", "Z. Li"),
            "SOSP",
            2023,
        ),
        (
            r"\bibitem{a} A. Einstein, On the energy of moving bodies, \emph{Annalen der Physik} 17, 891--921 (1905).",
            "On the energy of moving bodies",
            ("A. Einstein",),
            "Annalen der Physik",
            1905,
        ),
        (
            r"\bibitem{a} C. W. Chou, D. B. Hume, and D. J. Wine, Clocks and relativity, \emph{Science} 9 (2010).",
            "Clocks and relativity",
            ("C. W. Chou", "D. B. Hume", "D. J. Wine"),
            "Science",
            2010,
        ),
        (
            r"\bibitem{a} K. G\"odel. \"Uber formal unentscheidbare S\"atze. {\em Monatshefte f\"ur Mathematik}, 1931.",
            "Über formal unentscheidbare Sätze",
            ("K. Gödel",),
            "Monatshefte für Mathematik",
            1931,
        ),
        (
            r"\bibitem{a} Lovelace, Ada K. \href{http://a.org/a%20b}{\it A story of caches}. Quiet Journal 3 (1984): 4",
            "A story of caches",
            ("Ada K. Lovelace",),
            "Quiet Journal",
            1984,
        ),
    ],
)
def test_a_reference_gives_title_authors_venue_and_year(reference, title, authors, venue, year):
    (paper,) = papers(reference)
    assert (paper.title, paper.authors, paper.venue, paper.year) == (title, authors, venue, year)


@cases(
    ("end", "identifier"),
    [
        (r"arXiv:2305.15778, 2023.", "arxiv:2305.15778"),
        (r"\url{https://arxiv.org/abs/2305.15778}.", "arxiv:2305.15778"),
        (r"\doi{10.1145/1234.5678}.", "doi:10.1145/1234.5678"),
    ],
)
def test_identifiers_are_read_from_any_part_of_a_reference(end, identifier):
    (paper,) = papers(rf"\bibitem{{a}} A. Person. \newblock A story of caches. \newblock {end}")
    assert (paper.title, paper.identifiers) == ("A story of caches", (identifier,))


def test_the_frame_of_a_bibliography_is_markup():
    found = parser.parse(
        "\\begin{thebibliography}{9}\n\\bibitem{a} A. Person. A story of caches. 2020.\n\\end{thebibliography}\n"
    )
    assert [each.kind for each in found] == ["junk", "paper", "junk"]


@cases("text", ["\\bibitem", "\\bibitem{", "\\bibitem[{", "\\bibitem{a}", "\\bibitem{a}{{{", "\\bibitem[" + "{" * 2000])
def test_broken_references_are_read_to_their_end(text):
    assert sum(parser.tally(parser.parse(text)).values()) == 1


def test_commands_that_show_nothing_are_no_topics_and_sections_are():
    text = r"""\documentclass[11pt]{article}
\usepackage{hyperref}
\section*{Serving \& Storage}\label{sec:a}
\providecommand{\url}[1]{\texttt{#1}}
\begin{itemize}
\item Attention Is All You Need. \url{https://arxiv.org/abs/1706.03762}
\end{itemize}
"""
    entries = parser.parse(text)
    assert [each.kind for each in entries] == ["junk", "junk", "topic", "junk", "junk", "paper", "junk"]
    assert (entries[5].title, entries[5].topics) == ("Attention Is All You Need", ("Serving & Storage",))


def test_references_in_the_russian_style_are_split_at_their_slashes():
    text = (
        "\\begin{thebibliography}{9}\n\\def\\selectlanguageifdefined#1{\n"
        "\\expandafter\\ifx\\csname date#1\\endcsname}\n\n"
        "\\bibitem{a}\n\\selectlanguageifdefined{english}\n\\BibEmph{Lovelace~A., {Babbage Jr.}~C.} A story of two\n"
        "  caches~// \\href{https://doi.org/10.1155/1}{\\BibEmph{Can. J. Engines}} \\BibDash\n"
        "\\newblock 1943. \\BibDash\n"
        "\\newblock Vol.~3, no.~1. \\BibDash\n\\newblock P.~65--71.\n"
    )
    frame, paper = (entry for entry in parser.parse(text) if entry.kind != "blank")
    assert (frame.kind, frame.last, paper.title) == ("junk", 4, "A story of two caches")
    assert paper.identifiers == ("doi:10.1155/1",)
    assert (paper.authors, paper.venue, paper.year) == (("Lovelace A.", "Babbage Jr. C."), "Can. J. Engines", 1943)
