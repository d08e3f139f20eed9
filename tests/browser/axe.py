"""What axe finds on a page. A look that it has found clear enough once, colours and letters, is not measured again."""

from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

Theme = Literal["light", "dark", "contrast"]

REPEATED = "main li:nth-of-type(n+6), main tr:nth-of-type(n+6), main .group:nth-of-type(n+3)"  # enough of them
THIN_OUT = "repeated => document.querySelectorAll(repeated).forEach(part => part.remove())"
SHAPES = 'rules => axe.run({ rules, preload: false, resultTypes: ["violations"] })'
COLOURS = """async (clear) => {
    const known = new Set(clear);
    const solid = (colour) => !/rgba\\(|\\/|transparent/.test(colour);
    const written = (part) => part.matches("input, select, textarea")
        || [...part.childNodes].some((node) => node.nodeType == Node.TEXT_NODE && node.data.trim());

    function look(part) {
        const { color, fill, fontSize, fontWeight, textShadow } = getComputedStyle(part);
        const said = [color, fill, fontSize, fontWeight, textShadow, part.textContent.trim().length > 1], path = [];
        let covered = false, floats = false;
        for (let at = part; at; at = at.parentElement) {
            const { backgroundColor, backgroundImage, filter, mixBlendMode, opacity, position } = getComputedStyle(at);
            said.push(opacity, filter, mixBlendMode);
            path.push(at.localName, at.className.baseVal ?? at.className);
            if (covered) continue;
            said.push(backgroundColor, backgroundImage);
            covered = solid(backgroundColor);
            floats ||= !covered && !["static", "relative"].includes(position);
        }
        return [...said, ...floats ? path : []].join();
    }

    const fresh = new Map();
    for (const part of document.body.querySelectorAll("*"))
        if (written(part) && part.checkVisibility()) {
            const its = look(part);
            if (!known.has(its) && !fresh.has(its)) fresh.set(its, part);
        }
    if (!fresh.size) return { violations: [], clear: [] };
    const { violations, passes } = await axe.run({ include: [...fresh.values()] },
        { runOnly: ["color-contrast"], preload: false, resultTypes: ["violations", "passes"], elementRef: true });
    const passed = new Set(passes.flatMap((rule) => rule.nodes).map((node) => node.element));
    for (const node of violations.flatMap((rule) => rule.nodes)) delete node.element;
    return { violations, clear: [...fresh].filter(([, part]) => passed.has(part)).map(([its]) => its) };
}"""


class Axe:
    """Remembers by theme which looks are clear enough; whoever asks for a page alone has everything of it measured.

    A look is all that the contrast of a text depends on: its colour and letters, what is behind it and how much of
    that comes through; for what floats over something else also its place in the page.
    """

    def __init__(self) -> None:
        self.clear: dict[Theme, set[str]] = {"light": set(), "dark": set(), "contrast": set()}

    def start(self, page: Page) -> None:
        """Rows that are like those before them are taken out of the page: they have no violations of their own."""
        page.evaluate(AXE_SCRIPT)
        page.evaluate(THIN_OUT, REPEATED)

    def assert_shapes(self, page: Page) -> None:
        """All but the colours. What an open menu or bar covers is looked at on another page, without it."""
        covers = page.locator(".menu[open], .pick:checked").count()
        rules = {"color-contrast": {"enabled": False}, "target-size": {"enabled": not covers}}
        _assert_none(page.evaluate(SHAPES, rules))

    def assert_colours(self, page: Page, theme: Theme) -> None:
        found = page.evaluate(COLOURS, sorted(self.clear[theme]))
        _assert_none(found)
        self.clear[theme].update(found["clear"])


def _assert_none(found: dict[str, Any]) -> None:
    assert not found["violations"], AxeResults(found).generate_report()
