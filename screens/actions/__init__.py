"""The actions of the interface: one registry, their keys, and when each is possible."""
