"""A 2D rigid-body engine for games, for teaching and for research."""
