"""A system as a Rust crate for Stateright, built by cargo and run. Begin with `crate`."""
