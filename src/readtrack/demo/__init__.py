"""A library to look round in: real papers (facts only), invented readers, and summaries in our own words."""
