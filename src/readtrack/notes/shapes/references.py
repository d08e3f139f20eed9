"""Annotated reference lists, as pasted from documentation: a heading with ¶, then one line a work, no address."""

from readtrack.notes.making import Place
from readtrack.notes.page import Block, Page, Shape
from readtrack.notes.phrases import read_piece


def read(page: Page, at: int) -> Block | None:
    if not page.outline.references or page.found(at):
        return None
    number = page.lines[at].number
    place = Place(number, number, page.outline.topics)
    return Block(1, read_piece(page.text(at), place, listed=True, references=True))


SHAPE = Shape("references", 70, read)
