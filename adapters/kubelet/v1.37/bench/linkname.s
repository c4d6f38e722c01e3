// Lets functions without a body be declared, which go:linkname binds.
