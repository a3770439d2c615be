"""The Context screen: what an agent gets with a message, why, and at what cost."""
