"""Text to vectors: one port, a prepared and a native form of the model, and a cache in front."""
