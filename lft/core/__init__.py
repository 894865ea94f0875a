"""What every suite needs: media, frames, prompts, models, runs, statistics, cost. Knows nothing of events."""
