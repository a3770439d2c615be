"""The functions that an agent calls: behind the Model Context Protocol, and fit for any other protocol."""
