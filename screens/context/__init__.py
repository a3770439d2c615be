"""What an agent is given with a message, why, and at what cost."""
