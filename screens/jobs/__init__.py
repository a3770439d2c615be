"""Work that takes long: how far it is, shown in one way, and how it is stopped."""
