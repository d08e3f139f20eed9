"""Discussions of papers, topics and questions."""
