"""What is served beside tools: prompts, resources, templates of resources, and completions of their arguments."""
