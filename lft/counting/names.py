"""The name of the suite and its models as "module:object"; nothing is imported."""

from __future__ import annotations

NAME = "counting"
OWN_PROVIDERS = {
    "observer": "lft.counting.observer:Observer",
    "simulated": "lft.counting.simulated:Simulated",
}
