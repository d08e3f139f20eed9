"""Markdown folders: export of papers and topics for Obsidian and Logseq, and import."""
