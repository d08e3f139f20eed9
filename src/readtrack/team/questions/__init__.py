"""Open questions, from notes or written by hand, on a paper, a topic, both or neither."""
