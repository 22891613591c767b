"""Model endpoints, each a `Provider` of the domain: one file per wire format."""
