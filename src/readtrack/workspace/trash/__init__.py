"""What was taken away and can be brought back for thirty days; after that it is really gone."""
