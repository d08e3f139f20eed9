"""Features that combine the others: home, board, statistics, graph, saved searches, bulk actions, trash, export."""
