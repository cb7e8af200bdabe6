"""Passes over contacts that push bodies apart little by little."""

def lane_names() -> list[str]:
    """The backends this machine can use, the fastest first. All give the same bits."""

def use_lanes(name: str) -> None:
    """Let all worlds use one of these backends from now on."""
