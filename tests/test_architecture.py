"""Rules that the source must keep besides its imports, which import-linter checks: sizes, names, who may do what."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from sys import stdlib_module_names

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/readtrack"
SOURCE = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MIGRATIONS = sorted((ROOT / "migrations").rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))

FUNCTION, POSITIONAL, NESTING = 50, 4, 3
VAGUE_NAMES = {"utils", "helpers", "common", "core", "misc", "service", "manager", "handler", "handlers", "constants"}
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)

# Modules that may do what no other may, each with its reason.
COMMITS = {"infra.db": "transactions begin and end there"}
CATCHES_ALL = {
    "library.citations.store": "an answer is kept, though the list of what its work cites cannot be read",
    "infra.jobs.queue": "a job or item that broke is tried again later, and the next one is run",
    "infra.http.rate_limit": "an answer counts more than the note that its turn is over",
    "library.duplicates.blocking": "one odd paper keeps no others from being compared",
    "infra.jobs.periodic": "one task that fails stops no other",
    "workspace.trash.purge": "things of one kind that cannot be removed keep no other kind",
    "cli.deferred_worker": "pages are answered though the worker cannot be started; it is tried again",
    "ingest.parser.parse_note": "a line on which a shape breaks is read by the next one, or stays in the notes",
    "ingest.imports.propose": "an entry on which a rule breaks is proposed as the parser has it",
    "ingest.imports.jobs": "an entry that breaks is left to a person, and the others are added",
    "cli.worker": "the worker outlives a queue that cannot be read",
    "workspace.bulk_actions.commands": "one paper that breaks keeps none of the others of an act on many from it",
    "web.middleware.request_log": "whatever happened, the visitor gets an answer with its number",
}
SPEAKS_DIALECT = {"infra.db": "", "search": "", "infra.config": "tells a PostgreSQL address from a file's"}
TRUSTS_HTML = {
    "web.templating.environment": "what readtrack.markdown rendered, which sanitises last",
}
DIALECT_WORDS = re.compile(
    r"\b(fts5|pragma|tsvector|tsquery|bm25|vacuum into|sqlite_master|pg_\w+|sqlalchemy\.dialects)\b", re.IGNORECASE
)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def dotted(path: Path) -> str:
    """src/readtrack/papers/queries.py is papers.queries."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def at(path: Path, line: int, problem: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {problem}"


@cache
def nodes(path: Path) -> Sequence[ast.AST]:
    return tuple(ast.walk(tree(path)))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name; `from readtrack import db` gives readtrack and readtrack.infra.db."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def overriding(path: Path) -> set[ast.AST]:
    """Functions whose form another class may have given them."""
    classes = (node for node in nodes(path) if isinstance(node, ast.ClassDef) and node.bases)
    return {child for node in classes for child in node.body}


def within(name: str, places: Iterable[str]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def docstrings(path: Path) -> set[int]:
    """Where docstrings stand: prose may say what code may not."""
    bodies = (node.body for node in nodes(path) if isinstance(node, ast.Module | ast.ClassDef))
    starts = [body[0] for body in [*bodies, *(function.body for function in functions(path))] if body]
    return {id(start.value) for start in starts if isinstance(start, ast.Expr)}


def strings(path: Path) -> Iterator[tuple[int, str]]:
    prose = docstrings(path)
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def depth(node: ast.AST) -> int:
    """How deep blocks lie in one another; an elif lies beside its if."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and node.orelse == [child]
        deepest = max(deepest, depth(child) + (isinstance(child, BLOCKS) and not is_elif))
    return deepest


def none(problems: Iterable[str]) -> None:
    if found := sorted(problems):
        pytest.fail("\n".join(["", *found]), pytrace=False)


def test_every_imported_library_is_declared_and_every_declared_one_is_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {Requirement(line).name.lower().replace("_", "-") for line in project["dependencies"]}
    homes = packages_distributions()
    used = {}
    for path in [*SOURCE, *MIGRATIONS]:
        for line, name in imports(path):
            top = name.split(".")[0]
            if top not in stdlib_module_names and top != "readtrack":
                used[homes.get(top, [top])[0].lower().replace("_", "-")] = at(path, line, top)
    declared |= {"pydantic-core"}  # pydantic's other half, pinned by it
    without_import = {
        "python-multipart",
        "linkify-it-py",
        "tzdata",
        "urllib3",
    }  # for FastAPI's forms, markdown-it's links, the zoneinfo of the standard library; a floor
    unused = declared - set(used) - without_import
    extras = (line for lines in project["optional-dependencies"].values() for line in lines)
    declared |= {Requirement(line).name.lower().replace("_", "-") for line in extras}  # used where they are installed
    undeclared = [f"{where} is no dependency in pyproject.toml" for name, where in used.items() if name not in declared]
    none([*undeclared, *(f"pyproject.toml: nothing imports {library}" for library in unused)])


def test_only_the_database_module_commits():
    none(
        at(path, node.lineno, "commits, but transactions end in infra/db/ only")
        for path in SOURCE
        if not within(dotted(path), COMMITS)
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit"
    )


def test_words_of_one_database_stay_in_search_and_db():
    none(
        at(path, line, f"has {text!r}, but the words of one database live in search/ and infra/db/")
        for path in SOURCE
        if not within(dotted(path), SPEAKS_DIALECT)
        for line, text in [*strings(path), *imports(path)]
        if text in {"sqlite", "postgresql"} or DIALECT_WORDS.search(text)
    )


def test_everything_is_caught_only_where_somebody_must_go_on():
    def catches_all(handler: ast.ExceptHandler) -> bool:
        names = ast.walk(handler.type) if handler.type else []
        return handler.type is None or any(getattr(n, "id", "") in {"Exception", "BaseException"} for n in names)

    none(
        at(path, node.lineno, "catches everything; name what can go wrong here, and let the rest pass")
        for path in SOURCE
        if not within(dotted(path), CATCHES_ALL)
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    )


def test_html_is_trusted_only_where_it_was_sanitised():
    code = (
        at(path, node.lineno, "trusts HTML (Markup); only what readtrack.markdown sanitised may be")
        for path in SOURCE
        if not within(dotted(path), TRUSTS_HTML)
        for node in nodes(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Markup"
    )
    pages = (
        at(path, number, f"trusts HTML: {line.strip()}")
        for path in TEMPLATES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\|\s*safe\b|autoescape\s+false", line)
    )
    none([*code, *pages])


def test_functions_stay_small():
    none(
        at(path, function.lineno, f"{function.name} has {lines} lines; never more than {FUNCTION}")
        for path in [*SOURCE, *TESTS]
        for function in functions(path)
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION
    )


def test_blocks_lie_at_most_three_deep():
    none(
        at(path, function.lineno, f"{function.name} nests {deep} blocks; never more than {NESTING}")
        for path in SOURCE
        for function in functions(path)
        if (deep := depth(function)) > NESTING
    )


def test_functions_take_at_most_four_positional_parameters():
    """Those of our own making: frameworks call decorated ones, and a subclass keeps the form of its parent."""
    none(
        at(path, function.lineno, f"{function.name} takes {len(names)} positional parameters; name the rest (after *)")
        for path in SOURCE
        for function in functions(path)
        if not function.decorator_list and function not in overriding(path)
        if len(names := [a for a in function.args.posonlyargs + function.args.args if a.arg not in {"self", "cls"}])
        > POSITIONAL
    )


def test_no_module_has_a_name_that_says_nothing():
    none(
        at(path, 1, f"{name} says nothing; name it for what lives in it")
        for path in [*SOURCE, *TESTS]
        for name in path.relative_to(ROOT).with_suffix("").parts
        if name in VAGUE_NAMES
    )


def test_every_module_says_what_lives_in_it():
    none(
        at(path, 1, "has no docstring: one to three lines on what lives here")
        for path in [*SOURCE, *TESTS, *MIGRATIONS, ROOT / "hatch_build.py"]
        if ast.get_docstring(tree(path)) is None
    )


def test_names_say_what_they_name():
    """Functions are verbs with an object, values and classes nouns: no name is one participle, pronoun or filler."""
    lone = {
        *(
            "told",
            "asked",
            "kept",
            "said",
            "shown",
            "foreseen",
            "beside",
            "around",
            "wish",
            "whole",
            "become",
            "fronted",
        ),
        *("promptly", "named", "taken", "found", "known", "wanted", "given", "held", "made", "seen", "words", "thing"),
    }
    not_yet = {"Seen", "shown"}  # a table, and what compiled templates call
    none(
        at(path, node.lineno, f"{node.name} says nothing by itself")
        for path in SOURCE
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if node.name.strip("_").lower() in lone and node.name not in not_yet
    )
