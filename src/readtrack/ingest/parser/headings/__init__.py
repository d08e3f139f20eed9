"""Headings: topics, papers, parts of the notes on a paper, or noise, with the lines below them."""
