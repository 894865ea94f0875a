"""What every suite needs: video, prompts, models, runs, statistics, cost, reports. Knows the words of no suite."""
