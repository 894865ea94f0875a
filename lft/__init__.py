"""LFT: where, and why, a video-language model's account of events stops being reliable."""

__version__ = "0.1.0"
