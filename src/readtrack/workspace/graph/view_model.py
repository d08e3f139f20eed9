"""A neighbourhood as somebody sees it: found, laid out unless that is kept, with the faces of its nodes."""

from collections.abc import Mapping
from typing import NamedTuple

from readtrack.infra.db import Read
from readtrack.infra.permissions import Visitor
from readtrack.workspace.graph.layout import lay_out
from readtrack.workspace.graph.queries import (
    Face,
    Laid,
    Neighbourhood,
    Places,
    Wanted,
    faces_of,
    find_layout,
    neighbourhood,
)


class Shown(NamedTuple):
    """`new`: the layout, when none was kept that fits; to be kept."""

    wanted: Wanted
    around: Neighbourhood
    faces: Mapping[str, Face]
    places: Places
    new: Laid | None


def show(tx: Read, me: Visitor, wanted: Wanted) -> Shown:
    """All of it. Where nodes stand depends on what is linked with what alone, never on who asks."""
    around = neighbourhood(tx, me, wanted)
    faces = faces_of(tx, me, [node.key for node in around.network.nodes])
    kept, fingerprint = find_layout(tx, wanted.subject), around.network.fingerprint
    if kept is not None and kept.fingerprint == fingerprint:
        return Shown(wanted, around, faces, kept.places, None)
    places = lay_out(around.network, kept.places if kept else None, widest=wanted.widest)
    return Shown(wanted, around, faces, places, Laid(wanted.subject, fingerprint, places))
