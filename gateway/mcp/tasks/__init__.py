"""Long work of backends as tasks of the extension io.modelcontextprotocol/tasks, or waited for where it must be."""
