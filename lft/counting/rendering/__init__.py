"""Rendering of clips: random choices, frames, and drawing of each picture once with Manim."""
