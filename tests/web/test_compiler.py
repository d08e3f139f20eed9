"""What templates show is escaped, in whatever way it is shown."""

from typing import Any

import pytest
from jinja2 import DictLoader
from markupsafe import Markup

from readtrack.web.templating.compiler import Templates, shown
from readtrack.web.templating.environment import environment

HOSTILE = "<script>alert('\"&')</script>"
ESCAPED = "&lt;script&gt;alert(&#39;&#34;&amp;&#39;)&lt;/script&gt;"


class Said(str):
    __slots__ = ()


class Marked:
    def __html__(self) -> str:
        return "<b>made by us</b>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (HOSTILE, ESCAPED),
        (Said(HOSTILE), ESCAPED),
        (Markup("<b>ours</b>"), "<b>ours</b>"),
        (Marked(), "<b>made by us</b>"),
        (7, "7"),
        (True, "True"),
        (None, "None"),
        (["<b>"], "[&#39;&lt;b&gt;&#39;]"),
    ],
    ids=["text", "kind-of-text", "markup", "knows-html", "number", "truth", "nothing", "list"],
)
def test_a_value_is_escaped_unless_it_is_markup(value: object, text: str):
    assert shown(value) == text


@pytest.mark.parametrize(
    "template",
    [
        "{{ it }}",
        "{% set held = it %}{{ held }}",
        "{% set held %}{{ it }}{% endset %}{{ held }}",
        "{% macro part(x) %}{{ x }}{% endmacro %}{{ part(it) }}",
        "{% macro part() %}{{ caller() }}{% endmacro %}{% call part() %}{{ it }}{% endcall %}",
        "{% for x in [it] %}{{ x }}{% endfor %}",
        "{{ it ~ '' }}",
        "{{ [it] | join(', ') }}",
        "{{ it | replace('z', 'y') }}",
        "{% filter trim %}{{ it }}{% endfilter %}",
        "{% include 'part' %}",
        "{% extends 'frame' %}{% block inside %}{{ it }}{% endblock %}",
    ],
)
def test_hostile_text_comes_out_harmless_by_every_way_through_a_template(template: str):
    pages = {"page": template, "part": "{{ it }}", "frame": "{% block inside %}{% endblock %}"}
    jinja = Templates(loader=DictLoader(pages), autoescape=True)
    assert jinja.get_template("page").render(it=HOSTILE) == ESCAPED


def test_a_part_is_made_once_for_what_is_the_same_and_again_for_what_is_not():
    jinja: Any = environment("en")
    asked: list[object] = []
    template = jinja.from_string("{% macro part(x) %}{{ note(x) }}<i>{{ x }}</i>{% endmacro %}{{ once(part, it) }}")

    def note(value: object) -> str:
        asked.append(value)
        return ""

    part = template.make_module({"note": note, "it": ""}).part
    once = jinja.globals["once"]
    assert [once(part, value) for value in (HOSTILE, HOSTILE, "other")] == [f"<i>{ESCAPED}</i>"] * 2 + ["<i>other</i>"]
    assert once(part, Markup("other")) == "<i>other</i>"  # of the same text, but another kind
    assert asked[-3:] == [HOSTILE, "other", Markup("other")]
