"""What an agent is given, and the functions that it calls."""
