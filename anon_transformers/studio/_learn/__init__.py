"""What the page *Learn* shows: lessons made from the registry, and their examples."""
