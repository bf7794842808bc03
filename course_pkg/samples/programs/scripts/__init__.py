"""Programs of the allow-list. Each is run as a process of its own; none is imported."""
