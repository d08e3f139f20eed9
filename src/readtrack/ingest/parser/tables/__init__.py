"""Tables of papers in Markdown, HTML or exports: their columns, and the papers in their rows."""
