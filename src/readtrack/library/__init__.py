"""Papers, topics and the data attached to them."""
