"""The Graph screen: relations of an entity on any day, as a tree and a map, and open questions."""
