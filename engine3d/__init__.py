"""The same engine in three dimensions, headless."""
