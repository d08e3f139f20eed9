"""One table of keys: what people are told is what scripts and pages do, and nothing else is done."""

import re

import pytest

from readtrack.infra import resources
from readtrack.web.templating.environment import STATIC
from readtrack.web.templating.navigation import ITEMS
from readtrack.web.templating.shortcuts import SECTIONS, split_strokes, to_aria_shortcut

TOLD = {one for section in SECTIONS for key in section.keys for one in key.keys}
TEMPLATES = {path: path.read_text() for path in resources.find("templates").rglob("*.html")}
SCRIPTS = {path.name: path.read_text() for path in STATIC.glob("*.js")}
ACTS = {
    key
    for name in ("keys.js", "rows.js")
    for key in re.findall(
        r'^  "(.+?)": ', SCRIPTS[name].partition("const acts = {")[2].partition("};")[0], re.MULTILINE
    )
}
ON_CONTROLS = re.compile(r"""data-(?:row)?key="([^"{]+)"|\bkey='([^']+)'|look\.answer\(.*?, '(\w)', """)
SHORTCUTS = re.compile(r'aria-keyshortcuts="([^"{]+)"')
WAYS = {"up", "down"}  # in my queue: Alt and an arrow press these


def on_controls() -> set[str]:
    return {next(filter(None, found)) for text in TEMPLATES.values() for found in ON_CONTROLS.findall(text)} - WAYS


def test_every_key_handled_by_the_script_is_listed():
    assert sorted(ACTS - TOLD) == ["g"]  # told with the letter of each place


def test_every_key_a_control_handles_is_listed():
    assert on_controls() - TOLD == set()


def test_every_listed_key_does_something():
    single = {key for key in TOLD if len(key) == 1}
    assert single - ACTS - on_controls() == set()


def test_every_key_announced_to_screen_readers_is_listed():
    told = {to_aria_shortcut(key).replace("Ctrl", "Control") for key in TOLD}
    for path, text in TEMPLATES.items():
        for found in SHORTCUTS.findall(text):
            assert set(found.split()) <= told, path


def test_every_section_has_its_own_key():
    keys = [item.key for item in ITEMS]
    assert len(set(keys)) == len(keys)
    assert {f"g {key}" for key in keys} <= TOLD


def test_no_key_does_two_things_on_one_kind_of_page():
    for section in SECTIONS:
        keys = [one for key in section.keys for one in key.keys]
        assert len(set(keys)) == len(keys), section.name


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("j", ["j"]),
        ("J", ["Shift", "J"]),
        ("g h", ["g", "h"]),
        ("Alt+ArrowUp", ["Alt", "↑"]),
        ("Ctrl+Shift+p", ["Ctrl", "Shift", "P"]),
        ("Meta+k", ["⌘", "K"]),
        ("?", ["?"]),
    ],
)
def test_a_key_is_labelled_as_on_keyboards(key, shown):
    assert split_strokes(key) == shown


def test_scripts_stay_small():
    for name, text in SCRIPTS.items():
        assert text.count("\n") < 300, name
        assert text.startswith("// "), name
