"""The view of a neighbourhood: its network, its layout, and the display data and relations of its nodes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from readtrack.infra.db import Read
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.relations.links import WORDS as RELATIONS
from readtrack.workspace.graph.layout import lay_out
from readtrack.workspace.graph.model import CITED, FILED, PAPER, WITHIN, Edge, GraphNode
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

# By kind: label on the node the edge starts from, and on the other.
EDGE_WORDS = {
    **RELATIONS,
    FILED: (N_("Topics"), N_("Papers")),
    WITHIN: (N_("Parent topic"), N_("Subtopics")),
    CITED: (N_("Cites (automatic)"), N_("Cited by (automatic)")),
}


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


class EdgeLabel(NamedTuple):
    """A node's relation to another."""

    text: str
    target: Face
    note: str


class NodeRow(NamedTuple):
    """A node with all its relations, as a row of the table."""

    node: GraphNode
    label: Face
    relations: Sequence[EdgeLabel]

    @property
    def is_paper(self) -> bool:
        """True for a paper, False for a topic."""
        return self.node.kind == PAPER


def build_node_rows(nodes: Sequence[GraphNode], edges: Sequence[Edge], faces: Mapping[str, Face]) -> list[NodeRow]:
    """Return a row for each node with a face, in the order of the nodes."""
    labels: dict[str, list[EdgeLabel]] = {key: [] for key in faces}
    for edge in edges:
        if edge.source in faces and edge.target in faces:
            source_words, target_words = EDGE_WORDS[edge.kind]
            labels[edge.source].append(EdgeLabel(_(source_words), faces[edge.target], edge.note))
            labels[edge.target].append(EdgeLabel(_(target_words), faces[edge.source], edge.note))
    return [NodeRow(node, faces[node.key], labels[node.key]) for node in nodes if node.key in faces]


def edge_sentence(edge: Edge, faces: Mapping[str, Face]) -> str:
    """Return an edge as one sentence."""
    sentence = _("{one} — {how} — {other}").format(
        one=faces[edge.source].name, how=_(EDGE_WORDS[edge.kind][0]).lower(), other=faces[edge.target].name
    )
    return _("{sentence} ({note})").format(sentence=sentence, note=edge.note) if edge.note else sentence
