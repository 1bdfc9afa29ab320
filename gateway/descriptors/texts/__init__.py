"""The wording of what stands before a model: proto comments made fit for it, and names said in words."""
