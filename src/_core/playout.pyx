"""Random playouts over any game's table."""
