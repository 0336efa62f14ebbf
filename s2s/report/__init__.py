"""Reports about networks: inspection, figures, comparisons, an HTML page."""
