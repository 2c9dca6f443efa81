"""The JSON interfaces over memory, a file a contract."""
