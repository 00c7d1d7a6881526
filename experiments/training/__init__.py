"""The ways to train agents: PPO, and expert iteration."""
