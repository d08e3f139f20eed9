"""What templates show is escaped, in whatever way it is shown."""

import pytest
from jinja2 import DictLoader
from markupsafe import Markup

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
    assert environment("en").from_string("{{ it }}").render(it=value) == text


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
def test_hostile_text_is_escaped_by_every_template_construct(template: str):
    pages = {"page": template, "part": "{{ it }}", "frame": "{% block inside %}{% endblock %}"}
    jinja = environment("en").overlay(loader=DictLoader(pages))
    assert jinja.get_template("page").render(it=HOSTILE) == ESCAPED


def test_values_inserted_into_a_message_are_escaped():
    template = environment("en").from_string("{{ _('Choose %(title)s', title=it) }}")
    assert template.render(it=HOSTILE) == f"Choose {ESCAPED}"
