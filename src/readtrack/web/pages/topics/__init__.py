"""Pages for topics: index, single topics, editing, order, links, merge, split, assignment."""
