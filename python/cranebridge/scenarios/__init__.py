"""Ready scenarios, one TOML file a case; the first line of each says which."""
