"""How answers are read: pages, names, titles in LaTeX, venues, dates. Pure, shared by the services."""
