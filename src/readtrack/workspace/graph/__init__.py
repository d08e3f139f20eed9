"""The graph of papers and topics: the neighbourhood of one node, and the map of all."""
