from typing import Any

def check_state(given: object) -> dict[str, Any]:
    """A private copy of a state read from a pickle; ValueError unless all of it is sound."""

def digest_of(state: dict[str, Any]) -> str:
    """What tells a state from any other, whatever its data."""
