"""Tables of papers, in Markdown, HTML or an export: what their columns are, and what their rows name. Pure."""
