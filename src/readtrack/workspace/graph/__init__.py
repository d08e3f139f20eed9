"""Papers and topics as nodes, what links them as edges: round one of them, and the map of all."""
