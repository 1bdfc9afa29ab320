"""The surface in a file: written, read, compared with what backends offer, and held to while serving."""
