"""A copy of this package in somebody's project: what is in it, and what became of it."""
