"""Islands through their time: impacts, contact forces, motion, energy."""
