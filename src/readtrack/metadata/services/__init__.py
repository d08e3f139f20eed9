"""One module per metadata service, each with a SERVICE; some have a SOURCE too."""
