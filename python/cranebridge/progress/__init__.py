"""How long a job still takes: what it tells, what is expected of it, and what follows."""
