"""Long work: how far it is, shown in one way, and how it is stopped."""
