"""Where the load shall go: smooth paths and their exact time derivatives."""
