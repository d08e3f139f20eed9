"""The view of a neighbourhood: its network, layout, and the display data of its nodes."""

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
    """The view. `new`: the layout, if it had to be computed and should be stored."""

    wanted: GraphOptions
    around: Neighborhood
    faces: Mapping[str, Face]
    places: Places
    new: StoredLayout | None


def build_graph_view(tx: Read, me: CurrentUser, wanted: GraphOptions) -> GraphView:
    """Return the view. The layout depends only on the links, not on the person."""
    around = find_neighborhood(tx, me, wanted)
    faces = find_faces(tx, me, [node.key for node in around.network.nodes])
    kept, fingerprint = find_layout(tx, wanted.subject), around.network.fingerprint
    if kept is not None and kept.fingerprint == fingerprint:
        return GraphView(wanted, around, faces, kept.positions, None)
    places = lay_out(around.network, kept.positions if kept else None, widest=wanted.widest)
    return GraphView(wanted, around, faces, places, StoredLayout(wanted.subject, fingerprint, places))
