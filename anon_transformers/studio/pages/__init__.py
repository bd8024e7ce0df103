"""The pages of Studio, in the order of its menu; those of plugins come last."""

from anon_transformers.studio._page import Page


def all_pages() -> tuple[Page, ...]:
    """Our own pages, then those of plugins."""
    from anon_transformers.studio.pages import data, hierarchies, home

    return (home.PAGE, data.PAGE, hierarchies.PAGE)
