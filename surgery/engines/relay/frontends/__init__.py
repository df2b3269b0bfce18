"""Models of other frameworks: recognised by content, converted by TVM in a process of their own."""
