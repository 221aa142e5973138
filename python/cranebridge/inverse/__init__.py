"""From path to controls: structure analysis, index reduction, solvers."""
