"""Five short steps for whoever is here for the first time."""
