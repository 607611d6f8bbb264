"""HTML and SVG of boards and charts."""
