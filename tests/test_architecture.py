"""Rules of the source besides those of import-linter and ruff: names, and which module may do what."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
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

VAGUE_NAMES = {"utils", "helpers", "common", "core", "misc", "service", "manager", "handler", "handlers", "constants"}

# Modules that may do what no other may, each with its reason.
COMMITS = {"infra.db": "transactions begin and end there"}
CATCHES_ALL = {
    "library.citations.citation_lists": "an answer is kept, though the list of what its work cites cannot be read",
    "infra.jobs.queue": "a job or item that broke is tried again later, and the next one is run",
    "infra.http.rate_limiter": "an answer counts more than the note that its turn is over",
    "library.duplicates.blocking": "one odd paper keeps no others from being compared",
    "infra.jobs.scheduler": "one task that fails stops no other",
    "workspace.trash.purge": "things of one kind that cannot be removed keep no other kind",
    "cli.supervisor": "pages are answered though the worker cannot be started; it is tried again",
    "ingest.parser.parse_note": "a line on which a shape breaks is read by the next one, or stays in the notes",
    "ingest.parser.segments": "a record that breaks stays in the notes, and the next one is read",
    "ingest.imports.propose": "an entry on which a rule breaks is proposed as the parser has it",
    "ingest.imports.commit_job": "an entry that breaks is left to a person, and the others are added",
    "cli.worker": "the worker outlives a queue that cannot be read",
    "workspace.bulk_actions.commands": "one paper that breaks keeps none of the others of an act on many from it",
    "web.middleware.request_log": "whatever happened, the visitor gets an answer with its number",
}
SPEAKS_DIALECT = {"infra.db": "", "search": "", "infra.config": "tells a PostgreSQL address from a file's"}
TRUSTS_HTML = {
    "web.templating.environment": "what readtrack.markdown rendered, which sanitises last",
}
DATABASE_FILE = re.compile(r"database_file\(|make_url\(|url\.database|readtrack\.sqlite3")
OPENS_FILES = frozenset(
    {"open", "fdopen", "read_bytes", "read_text", "write_bytes", "write_text", "touch", "copy", "copy2", "copyfile"}
    | {"copyfileobj", "copytree"}
)
OPENS_OTHER_FILES = {
    "infra.db.library_lock": "the file beside it",
    "infra.config": "the secret key",
    "cli.findings": "the offline catalog",
}
HAS_SQLITE = {"infra.db.sqlite": "", "metadata.catalog": "a file of its own"}
DIALECT_WORDS = re.compile(
    r"\b(fts5|pragma|tsvector|tsquery|bm25|vacuum into|sqlite_master|pg_\w+|sqlalchemy\.dialects)\b", re.IGNORECASE
)


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def dotted(path: Path) -> str:
    """src/readtrack/library/papers/lists.py is library.papers.lists."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def at(path: Path, line: int, problem: str) -> str:
    return f"{path.relative_to(ROOT)}:{line}: {problem}"


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def nodes(path: Path, word: str) -> Iterator[ast.AST]:
    """Yield the syntax nodes of a file in which `word` occurs: most files are not parsed at all."""
    return ast.walk(tree(path)) if re.search(word, text_of(path)) else iter(())


IMPORT = re.compile(r"^\s*(?:from (?!\.)(\S+) import|import (\S+))", re.MULTILINE)


def imported_libraries(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the top-level name of each import."""
    text = text_of(path)
    for match in IMPORT.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, (match[1] or match[2]).split(".")[0]


def within(name: str, places: Iterable[str]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def strings(path: Path, word: str) -> Iterator[tuple[int, str]]:
    """Yield strings and imported names, without docstrings: prose may say what code may not."""
    prose = set()
    for node in nodes(path, word):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            prose.add(id(body[0].value))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((node.lineno, f"{getattr(node, 'module', '')}.{alias.name}") for alias in node.names)


def none(problems: Iterable[str]) -> None:
    if found := sorted(problems):
        pytest.fail("\n".join(["", *found]), pytrace=False)


def test_every_imported_library_is_declared_and_every_declared_one_is_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {Requirement(line).name.lower().replace("_", "-") for line in project["dependencies"]}
    homes = packages_distributions()
    used = {}
    for path in [*SOURCE, *MIGRATIONS]:
        for line, top in imported_libraries(path):
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
        for node in nodes(path, "commit")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit"
    )


def test_database_specific_sql_stays_in_search_and_db():
    none(
        at(path, line, f"has {text!r}, but the words of one database live in search/ and infra/db/")
        for path in SOURCE
        if not within(dotted(path), SPEAKS_DIALECT)
        for line, text in strings(path, f"(?i)sqlite|postgresql|{DIALECT_WORDS.pattern}")
        if text in {"sqlite", "postgresql"} or DIALECT_WORDS.search(text)
    )


def test_f15_no_module_opens_the_database_file_besides_the_driver():
    """Closing a file ends all POSIX locks of the process on it, so that others would write at the same time."""
    none(
        at(path, node.lineno, "opens a file, but knows where the database is: closing that would end SQLite's locks")
        for path in SOURCE
        if DATABASE_FILE.search(text_of(path)) and not within(dotted(path), OPENS_OTHER_FILES)
        for node in nodes(path, "open|read|write|copy")
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in OPENS_FILES
    )
    none(
        at(path, line, "imports sqlite3")
        for path in SOURCE
        if not within(dotted(path), HAS_SQLITE)
        for line, library in imported_libraries(path)
        if library in {"sqlite3", "pysqlite3"}
    )


def test_broad_exception_handlers_are_only_in_known_places():
    def catches_all(handler: ast.ExceptHandler) -> bool:
        names = ast.walk(handler.type) if handler.type else []
        return handler.type is None or any(getattr(n, "id", "") in {"Exception", "BaseException"} for n in names)

    none(
        at(path, node.lineno, "catches everything; name what can go wrong here, and let the rest pass")
        for path in SOURCE
        if not within(dotted(path), CATCHES_ALL)
        for node in nodes(path, r"except(:| .*Exception\b)")
        if isinstance(node, ast.ExceptHandler) and catches_all(node)
    )


def test_html_is_marked_safe_only_where_it_was_sanitised():
    code = (
        at(path, node.lineno, "trusts HTML (Markup); only what readtrack.markdown sanitised may be")
        for path in SOURCE
        if not within(dotted(path), TRUSTS_HTML)
        for node in nodes(path, "Markup")
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Markup"
    )
    pages = (
        at(path, number, f"trusts HTML: {line.strip()}")
        for path in TEMPLATES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\|\s*safe\b|autoescape\s+false", line)
    )
    none([*code, *pages])


def test_no_module_has_a_meaningless_name():
    none(
        at(path, 1, f"{name} says nothing; name it for what lives in it")
        for path in [*SOURCE, *TESTS]
        for name in path.relative_to(ROOT).with_suffix("").parts
        if name in VAGUE_NAMES
    )


LONE_WORDS = re.compile(
    "told|asked|kept|said|shown|foreseen|beside|around|wish|whole|become|fronted|promptly|named|taken|found|known"
    "|wanted|given|held|made|seen|words|thing"
)


def test_names_follow_the_naming_rules():
    """Functions are verbs with an object, values and classes nouns: no name is one participle, pronoun or filler."""
    not_yet = {"shown"}  # what compiled templates call
    none(
        at(path, text_of(path).count("\n", 0, match.start()) + 1, f"{match[1]} says nothing by itself")
        for path in SOURCE
        for match in re.finditer(r"^(?:async )?(?:def|class) (\w+)", text_of(path), re.MULTILINE)
        if LONE_WORDS.fullmatch(match[1].strip("_").lower()) and match[1] not in not_yet
    )
