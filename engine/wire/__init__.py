"""How processes of Tandem speak to each other: one framing, one handshake, typed messages, and nothing that runs."""
