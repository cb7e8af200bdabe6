"""Hypothesis profiles: repeatable in CI, exploring on a developer's machine."""

import os

from hypothesis import HealthCheck, settings

common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("explore", max_examples=200, **common)
settings.register_profile("ci", max_examples=200, derandomize=True, **common)
settings.load_profile("ci" if os.environ.get("CI") else "explore")
