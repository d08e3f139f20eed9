"""Papers in a browser: the library, one paper, what people decide about it, and what needs a look."""
