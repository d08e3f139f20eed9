"""Papers and topics as a folder of Markdown that Obsidian and Logseq open, with working links; and back in again."""
