"""Feedback beside the feedforward: sampled laws, observers, their margins and their simulation."""
