"""What people typed and have not saved: kept on the server, each for its person alone."""
