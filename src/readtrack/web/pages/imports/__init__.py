"""Imports and notes in a browser: paste, check what each line becomes, watch it being done, look it up later."""
