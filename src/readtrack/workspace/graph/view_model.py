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
    """The view. `new_layout`: the layout, if it had to be computed and should be stored."""

    options: GraphOptions
    neighborhood: Neighborhood
    labels: Mapping[str, Face]
    positions: Places
    new_layout: StoredLayout | None


def build_graph_view(tx: Read, me: CurrentUser, options: GraphOptions) -> GraphView:
    """Return the view. The layout depends only on the links, not on the person."""
    neighborhood = find_neighborhood(tx, me, options)
    faces = find_faces(tx, me, [node.key for node in neighborhood.network.nodes])
    stored, fingerprint = find_layout(tx, options.subject), neighborhood.network.fingerprint
    if stored is not None and stored.fingerprint == fingerprint:
        return GraphView(options, neighborhood, faces, stored.positions, None)
    positions = lay_out(neighborhood.network, stored.positions if stored else None, max_width=options.widest)
    return GraphView(options, neighborhood, faces, positions, StoredLayout(options.subject, fingerprint, positions))
