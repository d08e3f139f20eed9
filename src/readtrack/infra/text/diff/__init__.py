"""Diff and three-way merge of texts, with bounded running time."""
