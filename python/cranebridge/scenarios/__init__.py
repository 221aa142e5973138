"""Ready scenarios, one TOML file a case of thesis and paper."""
