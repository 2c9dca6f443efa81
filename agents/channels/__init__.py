"""Where visitors meet an agent: each channel turns its requests into `agents.chat` turns."""
