"""Answers of services: parsing, validation and storage of JSON, and ranking of what a search for a title found."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from readtrack.infra.errors import SourceUnavailable
from readtrack.infra.http.types import RETRYING_LATER, HttpResponse
from readtrack.infra.text import normalize
from readtrack.infra.text.titles import compare
from readtrack.metadata.parsing import plain_text
from readtrack.metadata.types import FetchResult, Metadata, Ref

ASK: Final = {"accept": "application/json"}
_MAX_RAW_CHARS = 150_000  # Characters; three thousand authors fit.
_MAX_NESTING = 40
# Maximum members of a list and characters of a text.
_CUTS = (
    (5_000, 100_000),
    (1_000, 20_000),
    (200, 5_000),
    (20, 500),
    (3, 100),
)
_PAGE = re.compile(rb"\s*<")
MAX_RESULTS = 10
_STAGES = ("published", "preprint", "page")


def parse_answer(answer: HttpResponse, label: str) -> object:
    """Return the JSON of a successful response.

    Raise SourceUnavailable for HTML, errors, truncated or empty bodies.
    """
    if answer.status != 200:
        raise unexpected_answer(label, f"status {answer.status}")
    return _parsed(answer.body, label)


def parse_error(answer: HttpResponse, label: str) -> Mapping[str, object]:
    """Return the JSON object of an error response. Raise SourceUnavailable if it is not one."""
    data = _parsed(answer.body, label)
    if not isinstance(data, dict):
        raise unexpected_answer(label, f"status {answer.status}")
    return data


def parse_stored(raw: str, label: str) -> Mapping[str, object]:
    """Parse a stored response. Raise SourceUnavailable if it is not a JSON object."""
    data = _parsed(raw, label)
    if not isinstance(data, dict):
        raise unexpected_answer(label, "unexpected JSON")
    return data


def unexpected_answer(label: str, description: str) -> SourceUnavailable:
    return SourceUnavailable(f"{label} sent an unexpected response ({description}). {RETRYING_LATER}")


def invalid_identifier(key: str, kind: str = "identifier") -> str:
    return f"{key!r} is not a valid {kind}. Check it."


def rejected_identifier(label: str, key: str) -> str:
    return f"{label} rejected {key!r}. Check the identifier."


def is_page(answer: HttpResponse) -> bool:
    return _PAGE.match(answer.body) is not None


def serialize_answer(answer: object, excluded_names: Collection[str] = ()) -> str:
    """Serialize a response for storage: without mail addresses and unused fields, truncated if it is huge."""
    text = ""
    for members, letters in _CUTS:
        text = json.dumps(_clean_tree(answer, frozenset(excluded_names), (members, letters)), ensure_ascii=False)
        if len(text) <= _MAX_RAW_CHARS:
            break
    return text if len(text) <= _MAX_RAW_CHARS else "{}"


def fetch_one_by_one(keys: Iterable[str], fetch: Callable[[str], Metadata | str | None]) -> FetchResult:
    """Fetch keys from a service that takes one at a time.

    `fetch` returns None if the key is unknown, a sentence if refused.
    """
    works: dict[str, Metadata] = {}
    missing: set[str] = set()
    reasons: dict[str, str] = {}
    for key in dict.fromkeys(keys):
        result = unaskable_reason(key) or fetch(key)
        if result is None:
            missing.add(key)
        elif isinstance(result, str):
            reasons[key] = result
        else:
            works[key] = result
    return FetchResult(works, frozenset(missing), reasons)


def unaskable_reason(key: str) -> str:
    """Return the reason why a key with invalid characters cannot be requested.

    Return "" for any other key.
    """
    return "" if normalize.clean(key) == key else invalid_identifier(key)


def merge_results(left: FetchResult, right: FetchResult) -> FetchResult:
    """Merge the results of two parts of a batch."""
    return FetchResult({**left.records, **right.records}, left.missing | right.missing, {**left.errors, **right.errors})


def _parsed(text: str | bytes, label: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unexpected_answer(label, "invalid or truncated JSON") from error


def _clean_tree(tree: object, excluded_names: Collection[str], limits: tuple[int, int], depth: int = 0) -> object:
    """Return the value with all texts cleaned and truncated.

    NaN, infinities and values nested too deeply become null.
    """
    members, letters = limits
    if isinstance(tree, str):
        return _clean(tree[:letters])
    if depth > _MAX_NESTING:
        return None
    if isinstance(tree, dict):
        pairs = ((name, value) for name, value in list(tree.items())[:members] if name not in excluded_names)
        return {_clean(name): _clean_tree(value, excluded_names, limits, depth + 1) for name, value in pairs}
    if isinstance(tree, list):
        return [_clean_tree(value, excluded_names, limits, depth + 1) for value in tree[:members]]
    return tree if isinstance(tree, bool | int) or (isinstance(tree, float) and abs(tree) < 1e300) else None


def _clean(text: str) -> str:
    return plain_text.without_mail(normalize.clean(text))


def rank_by_title(title: str, works: Iterable[Metadata]) -> list[Metadata]:
    """Return works without duplicates, most similar first.

    At equal similarity, published works come before preprints; otherwise the service's order is kept.
    """
    works_by_ref: dict[Ref, Metadata] = {}
    for work in works:
        if work.title:
            works_by_ref.setdefault(work.ref, work)

    def sort_key(work: Metadata) -> tuple[float, int]:
        return -round(compare.title_similarity(title, work.title), 2), _STAGES.index(work.stage)

    return sorted(works_by_ref.values(), key=sort_key)[:MAX_RESULTS]
