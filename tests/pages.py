"""Reads pages as people do: their words, and which of them stand outside of the brackets of the disguised language."""

import re
from collections.abc import Collection
from html.parser import HTMLParser

SAID = ("alt", "aria-label", "data-done", "data-label", "placeholder", "title")  # attributes that people read or hear
WINDOW = re.compile(r'(?<=name="tab" value=")[0-9a-f]{16}')  # an editor's own word, made anew for each window
_LETTERS = re.compile(r"[^\W\d_]{2}")
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Spoken(HTMLParser):
    """Collects the words of a page, each with the elements it stands in; those in ⟦brackets⟧ are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._within: list[str] = []
        self._depth = 0
        self._pieces: list[tuple[frozenset[str], str]] = []

    def words(self, without: Collection[str] = ()) -> list[str]:
        """Text nodes and spoken attributes that have letters, but for those inside such elements."""
        pieces = (piece for within, piece in self._pieces if not within.intersection(without))
        return [piece for piece in pieces if _LETTERS.search(piece)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._within.append(tag)
        for name, value in attrs:
            if name in SAID and value:
                self._keep(_outside(value, 0)[0])

    def handle_endtag(self, tag: str) -> None:
        if tag in self._within:
            del self._within[len(self._within) - 1 - self._within[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        outside, self._depth = _outside(data, self._depth)
        self._keep(outside)

    def _keep(self, text: str) -> None:
        within = frozenset(self._within)
        self._pieces += [(within, piece) for part in text.split("\0") if (piece := " ".join(part.split()))]


def spoken_in(page: str, without: Collection[str] = ()) -> list[str]:
    """What a page says outside of messages."""
    parser = Spoken()
    parser.feed(page)
    parser.close()
    return parser.words(without)


def _outside(text: str, depth: int) -> tuple[str, int]:
    """What stands outside of all brackets, and how deep the text leaves off."""
    kept = []
    for piece in re.split("([⟦⟧])", text):
        if piece in {"⟦", "⟧"}:
            depth += 1 if piece == "⟦" else -1
            kept.append("\0")
        elif depth == 0:
            kept.append(piece)
    return "".join(kept), depth
