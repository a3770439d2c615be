"""Language models behind one small port. None is needed; none is asked but the one that the person names."""
