"""What people say to one another about papers, topics and questions."""
