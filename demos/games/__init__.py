"""Small games: how the engine is used in a loop of one's own."""
