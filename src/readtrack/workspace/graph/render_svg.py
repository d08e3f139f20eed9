"""The markup of a picture, made once for everybody: what only one person sees, who has read what, is put into it."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import TypeAlias

from markupsafe import Markup

from readtrack.infra.i18n import current_language
from readtrack.workspace.graph.model import PAPER
from readtrack.workspace.graph.neighborhood_shapes import Picture, draw_neighborhood
from readtrack.workspace.graph.queries import Face
from readtrack.workspace.graph.view_model import GraphView

MOST_KEPT = 30  # pictures; one of 300 nodes is 200 kB
HOLE = "<§>"  # of each paper: where its state is told in words, and its sign; no name has a `<` here
Paint: TypeAlias = Callable[[Picture, Mapping[str, Face], str], Markup]  # the picture, its faces and what it is called


class Painter:
    """One picture, ready to be painted by a template or found as it was painted the last time."""

    def __init__(self, shown: GraphView) -> None:
        self._shown = shown

    def __call__(self, paint: Paint, name: str, words: Mapping[str, Markup], signs: Mapping[str, Markup]) -> Markup:
        """`name`: of the whole. `words` and `signs`: what is put in for each state of a paper."""
        faces = self._shown.faces
        pieces = _picture_cache.find(self._key(name), lambda: paint(self._picture(), faces, name).split(HOLE))
        nodes = self._shown.around.network.nodes
        states = [faces[node.key].state for node in nodes if node.kind == PAPER and node.key in faces]
        told = [mark for state in states for mark in (words[state], signs[state])]
        return pieces[0][:0].join(piece for pair in zip(pieces, [*told, ""], strict=True) for piece in pair)

    def _picture(self) -> Picture:
        return draw_neighborhood(self._shown.around.network, self._shown.places, self._shown.faces)

    def _key(self, name: str) -> Hashable:
        """All that the markup is made of, whoever looks at it."""
        shown = self._shown
        faces = tuple(face[:4] + face[5:] for face in shown.faces.values())
        return current_language(), name, *shown.around.network, tuple(shown.places.items()), faces


class _PictureCache:
    """The pictures that were asked for last, in pieces between which there are holes."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[Hashable, list[Markup]] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable, make: Callable[[], list[Markup]]) -> list[Markup]:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
        pieces = make()
        with self._lock:
            self._pictures[key] = pieces
            while len(self._pictures) > MOST_KEPT:
                self._pictures.popitem(last=False)
        return pieces


_picture_cache = _PictureCache()
