"""The palette: one field that leads to papers, topics, people, meetings, questions, views and places."""
