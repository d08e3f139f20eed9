"""Saved searches, private or shared: their order in the sidebar, counts and feeds."""
