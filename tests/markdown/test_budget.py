"""How much work a text may make: what makes more is shown as typed, and nobody else waits for it."""

import threading
from html import escape

import pytest

from readtrack import markdown
from readtrack.markdown import budget
from readtrack.markdown.budget import MAX_STEPS, BudgetExceeded, RendererBusy, WorkBudget, render_turn

ORDINARY = "The *recovery* of [a run](https://example.org/a) with $n$ ranks, `code` and more words than marks.\n\n"
MANY_STEPS = "&" * 9_000
WIDE = "a|" * 200 + "\n" + "-|" * 200 + "\n" + "x\n" * 50


@pytest.mark.deep
def test_an_ordinary_text_of_100_kb_is_rendered(monkeypatch):
    monkeypatch.setattr(budget, "MAX_SECONDS", 60.0)  # what counts is counting, however busy the machine
    text = (ORDINARY * 2_000)[:99_000]
    assert "<em>recovery</em>" in markdown.render(text)


@pytest.mark.parametrize("text", [MANY_STEPS, WIDE], ids=["steps", "cells"])
def test_an_excessively_expensive_text_is_shown_as_typed(monkeypatch, text):
    monkeypatch.setattr(budget, "MAX_STEPS", MAX_STEPS // 10)
    monkeypatch.setattr(budget, "MAX_CELLS", budget.MAX_CELLS // 10)
    assert markdown.render(text) == f"<pre>{escape(text, quote=False)}</pre>"
    assert markdown.extract_words(text) == []


def test_rendering_is_limited_by_work_and_by_time(monkeypatch):
    with pytest.raises(BudgetExceeded):
        WorkBudget().step(MAX_STEPS + 1)
    monkeypatch.setattr(budget, "MAX_SECONDS", -1.0)
    with pytest.raises(BudgetExceeded):
        WorkBudget().step(100)


def test_long_texts_are_rendered_one_at_a_time_and_one_that_waits_too_long_is_shown_as_typed(monkeypatch):
    """A5"""
    monkeypatch.setattr(budget, "MAX_WAIT_SECONDS", 0.01)
    text = ORDINARY * 200 + "waiting"
    begun, done = threading.Event(), threading.Event()

    def other():
        with render_turn(text):
            begun.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(10)
    with pytest.raises(RendererBusy), render_turn(text):
        pass
    waiting = markdown.render(text)
    short = markdown.render("*short*")
    done.set()
    thread.join()

    assert waiting.startswith("<pre>")
    assert short == "<p><em>short</em></p>\n"
    assert "<em>recovery</em>" in markdown.render(text), "it was not remembered as typed"
