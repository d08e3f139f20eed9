"""From notes to papers: the parser, imports, and folders of Markdown."""
