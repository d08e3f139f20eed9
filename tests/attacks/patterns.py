"""Every pattern of the code, and the texts that would make each of them go over the same ground again and again."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import readtrack

ROOT = Path(readtrack.__file__).parent
ANYWHERE = {"search", "sub", "subn", "split", "findall", "finditer"}  # methods that begin at each place of a text
ARGUMENTS = {"compile": 1, "sub": 4, "subn": 4, "split": 3}  # where flags stand; of all others behind the text
SIGNS = "a1 A-_.:/,;@#+*|<>()[]{}\"'`~=&%$!?\\\t\n0学ー"
SEEDS = list("a1 -.<[/*学")
FITS = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


class Found(NamedTuple):
    """A pattern, in which module it stands, and by which methods it is used."""

    module: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]

    def run(self, text: str) -> None:
        """What the code does with it, on that text."""
        given: Any = text.encode() if isinstance(self.pattern.pattern, bytes) else text
        if self.methods & ANYWHERE or not self.methods & {"match", "fullmatch"}:
            for _match in self.pattern.finditer(given):
                pass
        for name in self.methods & {"match", "fullmatch"}:
            getattr(self.pattern, name)(given)


def every_pattern() -> list[Found]:
    """Those that modules keep under a name, and those that stand where they are used."""
    found: dict[tuple[Any, int], Found] = {}  # each once, whatever other modules take it from where it stands
    for module in pkgutil.walk_packages(readtrack.__path__, "readtrack."):
        if not module.name.endswith("__main__"):
            for each in (*_kept(module.name), *_inline(module.name)):
                found.setdefault((each.pattern.pattern, each.pattern.flags), each)
    return list(found.values())


def _kept(name: str) -> Iterator[Found]:
    module = importlib.import_module(name)
    uses = [node for node in _nodes(name) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    loops = [node for node in _nodes(name) if isinstance(node, ast.comprehension) and isinstance(node.iter, ast.Name)]
    for called, value in vars(module).items():
        targets = [loop.target for loop in loops if isinstance(loop.iter, ast.Name) and loop.iter.id == called]
        names = {called, *(part.id for each in targets for part in ast.walk(each) if isinstance(part, ast.Name))}
        methods = frozenset(use.attr for use in uses if isinstance(use.value, ast.Name) and use.value.id in names)
        own = called.startswith("_")  # what others use, too, may be used in any way
        yield from (Found(name, pattern, methods if own else frozenset()) for pattern in _inside(value))


def _inside(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict | list | tuple | set | frozenset):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _inside(part, depth - 1)


def _inline(name: str) -> Iterator[Found]:
    for node in _nodes(name):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[ast.Constant(value=text), *_]
            ):
                if method not in {"compile", "escape"} and isinstance(text, str | bytes):
                    yield Found(name, re.compile(text, _flags(node, method)), frozenset({method}))


def _flags(call: ast.Call, method: str) -> int:
    at = ARGUMENTS.get(method, 2)
    given = [*call.args[at:], *(word.value for word in call.keywords if word.arg == "flags")]
    return sum(getattr(re, part.attr) for node in given for part in ast.walk(node) if isinstance(part, ast.Attribute))


@cache
def _nodes(name: str) -> list[ast.AST]:
    path = ROOT.joinpath(*name.split(".")[1:])
    text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    return list(ast.walk(ast.parse(text)))


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """What comes first, and what is repeated behind it: of each part that may be repeated, one that fits it."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    return list(dict.fromkeys([*(("", seed) for seed in SEEDS), *_pumps(tree, "")]))


def _pumps(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for op, arg in tree:
        for inside in _parts(op, arg):
            yield from _pumps(inside, before)
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT} and arg[1] is sre.MAXREPEAT:
            yield before, example(arg[2]) or "a"
            yield from ((before, sign) for sign in " a.")
        before += example([(op, arg)])


def _parts(op: Any, arg: Any) -> list[Any]:
    if op is sre.BRANCH:
        return list(arg[1])
    if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        return [arg[2]]
    if op is sre.SUBPATTERN:
        return [arg[3]]
    return [arg] if op is sre.ATOMIC_GROUP else []


def example(tree: Any) -> str:
    """A short text that the tree is likely to match."""
    return "".join(_example(op, arg) for op, arg in tree)


def _example(op: Any, arg: Any) -> str:
    if op is sre.LITERAL:
        return chr(arg)
    if op is sre.IN:
        return next((sign for sign in SIGNS if _fits(arg, sign)), "a")
    if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        return example(arg[2]) * arg[0]
    if op in {sre.ANY, sre.NOT_LITERAL}:
        return "a" if op is sre.ANY or arg != ord("a") else "b"
    parts = _parts(op, arg)
    return example(parts[0]) if parts else ""


def _fits(items: Any, sign: str) -> bool:
    hit = False
    for op, arg in items:
        hit |= op is sre.LITERAL and ord(sign) == arg
        hit |= op is sre.RANGE and arg[0] <= ord(sign) <= arg[1]
        hit |= op is sre.CATEGORY and re.fullmatch(FITS.get(arg, "(?!)"), sign) is not None
    return hit is not (items[0][0] is sre.NEGATE)
