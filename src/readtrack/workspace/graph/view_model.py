"""A neighbourhood as somebody sees it: found, laid out unless that is kept, with the faces of its nodes."""

from collections.abc import Mapping
from typing import NamedTuple

from readtrack.infra.db import Read
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.graph.layout import lay_out
from readtrack.workspace.graph.queries import (
    Face,
    GraphOptions,
    Neighborhood,
    Places,
    StoredLayout,
    find_faces,
    find_layout,
    find_neighborhood,
)


class GraphView(NamedTuple):
    """`new`: the layout, when none was kept that fits; to be kept."""

    wanted: GraphOptions
    around: Neighborhood
    faces: Mapping[str, Face]
    places: Places
    new: StoredLayout | None


def build_graph_view(tx: Read, me: CurrentUser, wanted: GraphOptions) -> GraphView:
    """All of it. Where nodes stand depends on what is linked with what alone, never on who asks."""
    around = find_neighborhood(tx, me, wanted)
    faces = find_faces(tx, me, [node.key for node in around.network.nodes])
    kept, fingerprint = find_layout(tx, wanted.subject), around.network.fingerprint
    if kept is not None and kept.fingerprint == fingerprint:
        return GraphView(wanted, around, faces, kept.positions, None)
    places = lay_out(around.network, kept.positions if kept else None, widest=wanted.widest)
    return GraphView(wanted, around, faces, places, StoredLayout(wanted.subject, fingerprint, places))
