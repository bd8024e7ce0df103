"""The pages of Studio, in the order of its menu; those of plugins come last."""

from dataclasses import replace
from inspect import isfunction
from typing import Any

from anon_transformers.exceptions import PluginError
from anon_transformers.registry import BrokenPlugin, Registry, registry
from anon_transformers.studio._page import Page


def all_pages() -> tuple[Page, ...]:
    """Our own pages, then those of plugins."""
    from anon_transformers.studio.pages import (
        attack,
        compare,
        data,
        explore,
        hierarchies,
        learn,
        projects,
        protect,
        release,
        statistics,
    )

    own = (
        projects.PAGE,
        data.PAGE,
        hierarchies.PAGE,
        protect.PAGE,
        explore.PAGE,
        statistics.PAGE,
        attack.PAGE,
        compare.PAGE,
        release.PAGE,
        learn.PAGE,
    )
    return (*own, *plugin_pages(registry())[0])


def plugin_pages(found: Registry) -> tuple[list[Page], list[BrokenPlugin]]:
    """The pages of plugins, and what is broken: it keeps no other page from opening."""
    pages, broken = [], list(found.broken)
    for name in found.pages:
        try:
            pages.append(_page(name, found.pages[name]))
        except (Exception, SystemExit) as error:  # whatever a stranger's code raises
            reason = str(error) if isinstance(error, PluginError) else None
            reason = reason or f"{type(error).__name__}: {error}"
            broken.append(BrokenPlugin(name, found.pages.owner(name), reason))
    return pages, broken


def _page(name: str, offered: Any) -> Page:
    from starlette.routing import BaseRoute

    made = offered() if isfunction(offered) else offered
    if not isinstance(made, Page):
        raise PluginError(f"the page {name!r} is no Page of anon_transformers.studio.")
    if not all(isinstance(route, BaseRoute) for route in made.routes):
        raise PluginError(f"the page {name!r} has routes that are not Starlette's.")
    # It is found under the name that nobody else has.
    return replace(made, name=name)
