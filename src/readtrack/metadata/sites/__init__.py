"""One module per site, each with a SOURCE that recognizes its addresses; some have a SERVICE too."""
