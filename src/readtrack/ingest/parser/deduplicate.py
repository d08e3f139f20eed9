"""Detection of the same paper within a note: one paper, several mentions.

Linear: lookup by identifier and title.
"""

import unicodedata
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.items.link_roles import STRONG
from readtrack.ingest.parser.reasons import (
    ALREADY_ON_LINE,
    OTHER_TITLE_ON_LINE,
    SAME_AS_LINE,
    SAME_TITLE_AS_LINE,
    UNLINKED,
)

_MIN_WORDS, _MIN_LETTERS, _MIN_CJK_LETTERS = 4, 20, 8  # shorter titles are shared by different works
_SHORT_NAME_WORDS, _SHORT_NAME_LETTERS = 2, 24
_SHOWN, _COMPARED = 200, 300
_MIN_SHARING = 3
_MIN_SIMILARITY = 0.45
_MAX_SHARED = 20  # identifiers of a paper that a mention by title repeats; one is enough to find the paper
_FILLED = ("title", "venue", "year", "status", "authors", "published", "read_on", "rating", "abstract")


@dataclass
class _PaperIndex:
    """The papers so far by identifier and title.

    Values are indexes in the list of entries, to fill in blanks later. `further_names`: identifiers that later entries
    add to a paper, collected so that each is copied once.
    """

    by_name: dict[str, int] = field(default_factory=dict)
    by_title: dict[str, int] = field(default_factory=dict)
    unlinked: dict[str, int] = field(default_factory=dict)
    further_names: dict[int, list[str]] = field(default_factory=dict)


def mark_duplicates(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    """Mark later entries of a paper as mentions, and fill in blank fields of the first entry from them.

    The records of readtrack's own exports are distinct papers, whatever they are called.
    """
    results = _without_shared_addresses(list(entries))
    papers = _PaperIndex()
    for index, entry in enumerate(results):
        if entry.kind == "paper" and entry.identifiers and entry.details is None:
            _mark_by_identifier(results, index, papers)
    for index, names in papers.further_names.items():
        results[index] = replace(results[index], identifiers=results[index].identifiers + tuple(names))
    for index, entry in enumerate(results):
        if entry.kind == "paper" and not entry.identifiers and entry.details is None:
            _mark_by_title(results, index, papers)
    return results


def _without_shared_addresses(entries: list[ParsedEntry]) -> list[ParsedEntry]:
    """Return the papers without an address that several of them have: it is that of a folder, and identifies none."""
    titles: dict[str, list[str]] = {}
    for entry in entries:
        if name := _only_address(entry):
            others = titles.setdefault(name, [])
            if len(others) < _MIN_SHARING and not any(is_similar_title(entry.title, other) for other in others):
                others.append(entry.title)
    shared = {name for name, others in titles.items() if len(others) == _MIN_SHARING}
    return [
        replace(entry, identifiers=(), paper_kind="paper", reason=UNLINKED) if _only_address(entry) in shared else entry
        for entry in entries
    ]


def _only_address(entry: ParsedEntry) -> str:
    """Return the only identifier of a paper with a title, if it is an address."""
    name = entry.identifiers[0] if len(entry.identifiers) == 1 and entry.kind == "paper" else ""
    return name if name and name.partition(":")[0] not in STRONG and names_a_paper(entry.title) else ""


def duplicate_keys(identifiers: Iterable[str], title: str) -> list[str]:
    """Return the keys of a paper. Only papers that share one can be duplicates of each other."""
    names = [name_key(name) for name in identifiers]
    return [*names, f"title:{title_key(title)}"] if title else names


def group_duplicates(keys_of_papers: Iterable[Iterable[str]]) -> list[list[int]]:
    """Return the papers that share keys, directly or through others, as groups of indexes.

    Keys are compared by hash, so that those of hundreds of thousands of papers take little memory. Papers that share
    nothing are left out.
    """
    hashes, owners = array("q"), array("L")
    for index, keys in enumerate(keys_of_papers):
        for key in keys:
            hashes.append(int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big", signed=True))
            owners.append(index)
    leaders: dict[int, int] = {}

    def leader(index: int) -> int:
        while leaders.get(index, index) != index:
            leaders[index] = leaders.get(leaders[index], leaders[index])
            index = leaders[index]
        return index

    for left, right in pairwise(sorted(range(len(hashes)), key=hashes.__getitem__)):
        first, other = leader(owners[left]), leader(owners[right])
        if hashes[left] == hashes[right] and first != other:
            leaders[max(first, other)] = leaders[min(first, other)] = min(first, other)
    groups: dict[int, list[int]] = {}
    for index in sorted(leaders):
        groups.setdefault(leader(index), []).append(index)
    return list(groups.values())


def title_key(title: str) -> str:
    """Return a key that ignores case, width, spaces and punctuation."""
    return squeeze_name(title if title.isascii() else unicodedata.normalize("NFKC", title))


def name_key(identifier: str) -> str:
    """Return the key of an identifier. `file:./a.pdf` and `file:a.pdf` are the same file."""
    return (
        "file:" + identifier.removeprefix("file:").removeprefix("./") if identifier.startswith("file:") else identifier
    )


def _mark_by_identifier(entries: list[ParsedEntry], index: int, papers: _PaperIndex) -> None:
    entry = entries[index]
    names = [name_key(name) for name in entry.identifiers]
    known_index = next((papers.by_name[name] for name in names if name in papers.by_name), None)
    distinctive_key = _telling_key(entry)
    if known_index is not None:
        entries[index] = _to_mention(entry, entries[known_index])
        if entries[index].decision == "add":
            entries[known_index] = _fill_blanks(entries[known_index], entry)
            new_names = [name for name in entry.identifiers if name_key(name) not in papers.by_name]
            papers.further_names.setdefault(known_index, []).extend(new_names)
    elif distinctive_key in papers.by_title:
        known_index = papers.by_title[distinctive_key]
        entries[index] = _to_twin(entry, entries[known_index])
    first_index = index if known_index is None else known_index
    for name in names:
        papers.by_name.setdefault(name, first_index)
    if distinctive_key:
        papers.by_title.setdefault(distinctive_key, first_index)


def _mark_by_title(entries: list[ParsedEntry], index: int, papers: _PaperIndex) -> None:
    """Mark a paper without links as a mention if another entry has the same title."""
    entry, key = entries[index], title_key(entries[index].title)
    first_index = papers.by_title.get(key, papers.unlinked.get(key)) if key else None
    if first_index is None:
        papers.unlinked[key] = index
        return
    first = entries[first_index]
    entries[index] = replace(
        entry,
        kind="mention",
        decision="add",
        identifiers=first.identifiers[:_MAX_SHARED],
        reason=_duplicate_reason(first, entry=entry),
    )
    entries[first_index] = _fill_blanks(first, entry)


def _fill_blanks(first: ParsedEntry, later: ParsedEntry) -> ParsedEntry:
    """Fill in blank fields of the first entry from a later one."""
    changes = {name: getattr(later, name) for name in _FILLED if not getattr(first, name) and getattr(later, name)}
    return replace(first, **changes) if changes else first


def _to_mention(entry: ParsedEntry, earlier: ParsedEntry) -> ParsedEntry:
    if entry.title and earlier.title and not is_similar_title(entry.title, earlier.title):
        title = earlier.title[:_SHOWN]
        reason = OTHER_TITLE_ON_LINE.format(line=earlier.first, title=title)
        return replace(entry, kind="mention", decision="review", reason=reason)
    return replace(entry, kind="mention", decision="add", reason=_duplicate_reason(earlier, entry=entry))


def _duplicate_reason(earlier: ParsedEntry, *, entry: ParsedEntry) -> str:
    return (ALREADY_ON_LINE if earlier.first <= entry.first else SAME_AS_LINE).format(line=earlier.first)


def _to_twin(entry: ParsedEntry, earlier: ParsedEntry) -> ParsedEntry:
    first = earlier.identifiers[0]
    reason = SAME_TITLE_AS_LINE.format(line=earlier.first, there=first, here=entry.identifiers[0])
    return replace(entry, kind="mention", decision="review", twin=first, reason=reason)


def _telling_key(entry: ParsedEntry) -> str:
    """Return the key of a paper's title if it is long enough to identify one work, otherwise ""."""
    if entry.paper_kind != "paper":
        return ""
    title, key = entry.title, title_key(entry.title)
    if len(key) >= _MIN_LETTERS and title.count(" ") >= _MIN_WORDS - 1:
        return key
    return key if len(CJK.findall(title)) >= _MIN_CJK_LETTERS else ""


def is_similar_title(left: str, right: str) -> bool:
    """Return True if two titles may name one work.

    One may be renamed, shortened, without the subtitle, or in another script.
    """
    if bool(CJK.search(left)) != bool(CJK.search(right)) or _is_short_name(left) or _is_short_name(right):
        return True
    left_key, right_key = title_key(left[:_COMPARED]), title_key(right[:_COMPARED])
    if left_key in right_key or right_key in left_key:
        return True
    left_ngrams, right_ngrams = _letter_ngrams(left_key), _letter_ngrams(right_key)
    return len(left_ngrams & right_ngrams) >= _MIN_SIMILARITY * min(len(left_ngrams), len(right_ngrams))


def _is_short_name(title: str) -> bool:
    return len(title) <= _SHORT_NAME_LETTERS and len(title.split()) <= _SHORT_NAME_WORDS and not CJK.search(title)


@lru_cache(maxsize=64)
def _letter_ngrams(key: str) -> frozenset[str]:
    """Return the letter trigrams of a key, bigrams for CJK."""
    size = 2 if CJK.search(key) else 3
    return frozenset(key[start : start + size] for start in range(max(1, len(key) - size + 1)))
