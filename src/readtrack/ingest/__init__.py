"""Note ingestion: the parser, imports, and Markdown folders."""
