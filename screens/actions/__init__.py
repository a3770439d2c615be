"""What a person can do: one registry of actions, their keys, and when each is possible."""
