"""How a clip is drawn: what the seed decides, what each frame shows, and Manim asked for each picture once."""
