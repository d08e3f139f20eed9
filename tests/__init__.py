"""The tests, a folder per part. conftest.py gives databases and browsers, make.py papers, standin.py an arXiv."""
