"""The protocol between supervisor and agents, made of protocol/agent.toml (docs/reference/agent-protocol.md).

`events`, `answers`, `commands`, `objects`, `enums` and `numbers` are generated; `messages` has what their classes have
in common, `fields` reads JSON, and `reading` makes messages of lines and of stored events.
"""
