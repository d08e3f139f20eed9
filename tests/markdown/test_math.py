"""Formulas with the team's words."""

import pytest

from readtrack.markdown import render
from readtrack.markdown.math import find_formula_problem, is_known, render_formula
from readtrack.markdown.render_context import RenderContext

MACROS = {"loss": r"\mathcal{L}", "norm": r"\lVert #1 \rVert", "both": r"\loss + \norm{x}"}


def test_a_macro_expands_the_same_in_every_formula():
    around = RenderContext(macros=MACROS)
    assert render(r"$\loss$ and $\norm{x}$ and $\both$", around) == render(
        r"$\mathcal{L}$ and $\lVert x \rVert$ and $\mathcal{L} + \lVert x \rVert$"
    )


def test_an_undefined_macro_leaves_the_source_with_the_reason():
    shown = render(r"$\loss$")
    assert '<code class="math-error" title="At character 1: Unknown command' in shown
    assert r"\loss</code>" in shown


def test_a_text_without_formulas_does_not_load_macros():
    assert render("plain", RenderContext(macros=MACROS)) == render("plain") == "<p>plain</p>\n"


def test_a_broken_macro_breaks_only_the_formulas_using_it():
    macros = (("bad", r"\nosuch"), ("good", "x"), ("worse", r"\frac{1"))
    assert render_formula(r"\good", display=False, macros=macros) == "<math><mi>x</mi></math>"
    assert render_formula(r"\bad", display=False, macros=macros).startswith('<code class="math-error"')
    assert render_formula(r"\worse", display=False, macros=macros).startswith('<code class="math-error"')


def test_a_changed_macro_takes_effect_at_once():
    assert render(r"$\a$", RenderContext(macros={"a": "x"})) != render(r"$\a$", RenderContext(macros={"a": "y"}))


def test_recursive_macros_terminate():
    macros = {"a": r"\b\b", "b": r"\a\a"}
    assert "Too many expansions" in find_formula_problem(r"\a", macros)
    assert "Too many expansions" in render(r"$\a$", RenderContext(macros=macros))


@pytest.mark.deep
def test_exponentially_expanding_macros_give_a_page_of_bounded_size():
    """A4"""
    macros = {"a": "x" * 500, "b": r"\a" * 90}
    text = r"$\b$ " * 20_000
    assert len(render(text, RenderContext(macros=macros))) < 2_000_000


def test_math_commands_are_recognised_and_unknown_ones_are_not():
    assert all(map(is_known, ("frac", "mathcal", "begin", "left", "def", "text", "alpha")))
    assert not any(map(is_known, ("loss", "Expect", "nosuch")))


def test_table_cell_lines_and_sides_are_kept_as_classes():
    shown = render_formula(r"\begin{array}{r|l} a & b \\ \hline c & d \end{array}", display=True)
    assert '<mtd class="align-right line-right">' in shown
    assert '<mtd class="line-above align-left">' in shown
    assert " style=" not in shown
