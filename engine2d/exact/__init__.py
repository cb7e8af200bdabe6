"""The exact clock: event-driven simulation behind World.advance (docs/maths/exact.md)."""
