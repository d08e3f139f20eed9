"""Features built on all others, such as home, board, statistics, graph, trash and export."""
