"""Memory over the Model Context Protocol: the tools of contracts 3 and 4 for any assistant.

`catalogue` says which tools a caller has, `calls` runs one, `server` speaks the protocol, `http`
and the command `mcp` are its two transports. The standing prompt is offered as an MCP prompt.
"""
