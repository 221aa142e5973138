"""Ready scenarios, one TOML file a case of the seeds."""
