"""How regions become code: one codegen for each kind of backend, all from one view of a region."""
