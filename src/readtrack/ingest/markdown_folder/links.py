"""Conversion of links between readtrack and a folder, where `[[ckpt]]` is `[[Checkpointing|ckpt]]`.

A link of a folder names a file and shows the original words, so that it can be converted back. Text that readtrack does
not parse as a link, as in code or formulas, is left unchanged.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count

from readtrack import markdown
from readtrack.infra.text import normalize
from readtrack.ingest.markdown_folder.notes import PAPERS, TOPICS
from readtrack.markdown.references import BRACKETS, key_of, key_of_name, short_title, split_brackets
from readtrack.metadata.sources import parse_ref as named_by

NoteResolver = Callable[[str], str]  # words of a link -> the name of its note, "" if there is none
TitleResolver = Callable[[str], str]  # the name of a note -> its title in readtrack, "" if it is another note
MAX_TEXT_CHARS = 2 * markdown.MAX_BYTES  # characters; longer texts exceed the limit of the library
_IN_TABLE = "\\|"  # an escaped bar in a table cell
_MAX_NAME_CHARS = 250  # characters between brackets, besides the number
_IN_FOLDER = re.compile(rf"\A(?:.*/)?(?:{PAPERS}|{TOPICS})/")  # some programs link by full paths
_MEANS = re.compile(r"[`$\\]")


def to_folder_links(text: str, resolve: NoteResolver) -> str:
    """Convert the links of a text to the folder's form."""
    return _rewrite_links(text, lambda name, shown: _to_folder_link(resolve, name, shown))


def from_folder_links(text: str, titles: TitleResolver, resolve: NoteResolver) -> str:
    """Convert the links of a text to readtrack's form."""
    return _rewrite_links(text, lambda name, shown: _from_folder_link(titles, resolve, name, shown))


def map_paper_names(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return file names by the names that texts use for papers: full titles first, then short titles.

    A short title shared by several papers resolves to none of them; of equal full titles the first wins.
    """
    pairs = list(files)
    short_counts = Counter(key_of_name(short_title(title)) for title, _file in pairs)
    by_short_title = {key: file for title, file in pairs if short_counts[key := key_of_name(short_title(title))] == 1}
    by_title = {key_of_name(title): file for title, file in reversed(pairs)}
    return {key: file for key, file in {**by_short_title, **by_title}.items() if key}


def resolve_note(file_by_key: Mapping[str, str], name: str) -> str:
    """Return the note for a name or an identifier, "" if there is none."""
    file = file_by_key.get(key_of(name), "")
    return file or (file_by_key.get(key_of_name(name), "") if named_by(name) else "")


def _to_folder_link(resolve: NoteResolver, name: str, label: str) -> tuple[str, str]:
    file = resolve(name)
    return (file, label) if file else (name, label)


def _from_folder_link(titles: TitleResolver, resolve: NoteResolver, name: str, label: str) -> tuple[str, str]:
    file = name if titles(name) else _IN_FOLDER.sub("", name)
    title = titles(file)
    if not title or (name == label and normalize.key(title) == normalize.key(name)):
        return name, label
    if name == label:
        return title, title
    return (label, label) if resolve(label) == file else (title, label)


def _rewrite_links(text: str, change: Callable[[str, str], tuple[str, str]]) -> str:
    """Replace the target and the words of each link in the text."""
    if "[[" not in text or len(text) > MAX_TEXT_CHARS:
        return text
    number = count()
    keys = {*markdown.find_reference_keys(BRACKETS.sub(lambda link: _number_link(next(number), link[1]), text))}
    number = count()

    def rewrite_link(link: re.Match[str]) -> str:
        separator = _find_separator(key_of_name(f"link {next(number)}"), link[1], keys)
        before = split_brackets(link[1].replace(_IN_TABLE, "|", 1) if separator == _IN_TABLE else link[1])
        after = change(*before) if separator else before
        if after == before:
            return link[0]
        return f"[[{after[0]}]]" if after[0] == after[1] else f"[[{separator.join(after)}]]"

    return BRACKETS.sub(rewrite_link, text)


def _number_link(number: int, content: str) -> str:
    """Return the link with a number as its target.

    Characters that may end code or a formula are kept.
    """
    label = content if len(content) < _MAX_NAME_CHARS else "".join(_MEANS.findall(content))[:_MAX_NAME_CHARS]
    separator = "|" if "|" in content and _IN_TABLE not in content else _IN_TABLE
    return f"[[link {number}{separator}{label}]]"


def _find_separator(key: str, content: str, keys: Collection[str]) -> str:
    """Return the separator of target and words, escaped in table cells, or "" if it is no link."""
    if f"{key}\\" in keys:  # the backslash was parsed as part of the target, so this is not a table
        return "|"
    if key not in keys:
        return ""
    return "|" if "|" in content and _IN_TABLE not in content else _IN_TABLE
