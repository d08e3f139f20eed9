"""Comparison tables of a topic, with the meaning of the signs used in them."""
