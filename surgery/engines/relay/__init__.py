"""The Relay engine: the only rooms that import TVM."""
