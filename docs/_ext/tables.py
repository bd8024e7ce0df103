"""A directive that is replaced by a table, which a subclass writes."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class TableDirective(SphinxDirective):
    """Takes one argument; ``lines`` is what stands in its place."""

    required_arguments = 1

    def lines(self) -> list[str]:
        """The table in reStructuredText."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        """Replace the directive."""
        source, _ = self.get_source_info()
        holder = nodes.container()
        self.state.nested_parse(StringList(self.lines(), source), 0, holder)
        return holder.children
