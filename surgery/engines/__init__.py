"""Compilers that surgery drives. ``base`` says what one must offer; each engine is its own package."""
