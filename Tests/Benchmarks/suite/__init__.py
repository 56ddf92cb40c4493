"""The benchmark behind Deploy/bench: one case a file, figures and targets in figures.py."""
