"""The version of LFT, as runs record it."""

__version__ = "0.1.0"
