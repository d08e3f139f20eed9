"""What a page says once, after something was done: in the language of whoever did it, at every place that says so."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import readtrack
from tests import make

PACKAGE = Path(readtrack.__file__).parent
TRANSLATES = {"_", "gettext", "ngettext", "pgettext"}
TEXT = re.compile(r"[A-Z]|[a-z.!?]\s")  # words for people; addresses and kinds have neither


def names_in(expression: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def said(call: ast.Call) -> list[ast.expr]:
    """The sentence and the undo of a call of `redirect_with_flash`."""
    return [*call.args[2:], *(given.value for given in call.keywords if given.arg in {"message", "undo"})]


def untranslated(expression: ast.AST) -> Iterator[str]:
    """Words that stand in an expression as they are."""
    if called(expression) in TRANSLATES or isinstance(expression, ast.Compare):
        return
    if isinstance(expression, ast.Constant):
        if isinstance(expression.value, str) and TEXT.search(expression.value):
            yield expression.value
        return
    for part in ast.iter_child_nodes(expression):
        yield from untranslated(part)


def assigned(inside: ast.AST, names: set[str]) -> Iterator[ast.expr]:
    """What is given to these names in there."""
    for node in ast.walk(inside):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if names & {name for target in targets for name in names_in(target)} and getattr(node, "value", None):
            yield node.value  # type: ignore[attr-defined]


def untranslated_flashes(source: str) -> list[str]:
    """Sentences that this source says in English only."""
    module = ast.parse(source)
    constants = ast.Module([node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)], [])
    found = set[str]()
    for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        expressions = [part for call in calls if called(call) == "redirect_with_flash" for part in said(call)]
        bare = {name for part in expressions for name in _outside_of_calls(part)}
        expressions += [*assigned(function, bare), *assigned(constants, bare)]
        found |= {words for part in expressions for words in untranslated(part)}
    return sorted(found)


def _outside_of_calls(expression: ast.AST) -> Iterator[str]:
    """Names whose values are shown as they are."""
    if called(expression) in TRANSLATES:
        return
    if isinstance(expression, ast.Name):
        yield expression.id
    for part in ast.iter_child_nodes(expression):
        yield from _outside_of_calls(part)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('redirect_with_flash(request, "/papers", "Saved.")', ["Saved."]),
        ('redirect_with_flash(request, "/papers", f"Now {what}.")', ["Now "]),
        ('said = "Saved."\n    redirect_with_flash(request, "/", said)', ["Saved."]),
        (
            'undo = ("Undo", f"/papers/{id}/undo")\n    redirect_with_flash(request, back, _("Saved."), undo=undo)',
            ["Undo"],
        ),
        ('redirect_with_flash(request, "/", _("Saved.") if new else "Same.", kind="info")', ["Same."]),
        ("redirect_with_flash(request, here, SAVED)", ["Done."]),
        ('redirect_with_flash(request, "/", _(SAVED), undo=(_("Undo"), "/undo"))', []),
        ('said = _("Now: {what}.").format(what=what)\n    redirect_with_flash(request, f"/Papers/{id}", said)', []),
    ],
)
def test_the_check_finds_english_sentences_only(body, found):
    assert untranslated_flashes(f'SAVED = N_("Done.")\ndef page(request):\n    {body}\n') == found


def test_every_flash_is_translated():
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    told = {path: untranslated_flashes(text) for path, text in sources.items() if "redirect_with_flash(request" in text}
    assert len(told) > 30
    assert {path.relative_to(PACKAGE).as_posix(): words for path, words in told.items() if words} == {}


def test_what_a_page_fetches_by_itself_leaves_the_message_to_the_page_after_the_change(database, sign_in):
    with database.write() as tx:
        ada, paper = make.visitor(tx, role="editor"), make.paper(tx, "Paper")
    browser = sign_in(ada)
    browser.post("/bulk", data={"do": "file", "topic": "Caches", "paper": paper.id, "next": "/papers"})
    htmx = {"HX-Request": "true", "HX-Source": "input#bulk-topic", "HX-Request-Type": "full"}
    assert "Undo" not in browser.get("/topics?topic=Cac", headers=htmx).text
    for address in ("/search/complete?q=pa", "/palette"):  # a part without a place for messages
        assert "Undo" not in browser.get(address, headers={"HX-Request-Type": "partial"}).text
    assert "Undo" in browser.get("/papers", headers={**htmx, "HX-Source": "form#bulk", "HX-Shows-Flash": "true"}).text
    assert "Undo" not in browser.get("/papers").text  # it is said once
