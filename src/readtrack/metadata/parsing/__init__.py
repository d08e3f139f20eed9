"""Pure parsers shared by services: web pages, names, LaTeX, venues, dates."""
