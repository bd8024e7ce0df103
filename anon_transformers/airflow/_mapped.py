"""One release file as several releases: a task that lists them, and a mapped group."""

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Asset, BaseOperator, task_group

from anon_transformers.airflow._endings import EndRun
from anon_transformers.airflow._period import period_of_run
from anon_transformers.airflow.operators import PERIOD, RELEASE, add_steps
from anon_transformers.release import read_config
from anon_transformers.release._mapping import JOINT

LIST = "list_items"
GROUP = "item"
LABEL = f"{{{{ {RELEASE}.split('{JOINT}')[-1] }}}}"
"""What Airflow shows of a mapped task: the item, and not its number."""


class ListItemsOperator(BaseOperator):
    """Derive one release file per item of a file with ``airflow: {map: …}``.

    Parameters
    ----------
    file : str
        The release file.
    **kwargs
        Arguments of every operator.
    """

    template_fields = ("file",)

    def __init__(self, *, file: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.file = file

    def execute(self, context: Any) -> list[dict[str, Any]]:
        """List the items; what is handed on are locations, and the period."""
        from airflow.sdk.exceptions import AirflowFailException

        from anon_transformers.exceptions import AnonymizationError
        from anon_transformers.release._mapping import derive_releases
        from anon_transformers.release._resolve import period_of

        given = dict(context["params"]).get(PERIOD)
        try:
            found = period_of_run(self.file, given, context)
            period = period_of(read_config(self.file), found, self.file)
            files = derive_releases(self.file, period)
        except AnonymizationError as error:
            raise AirflowFailException(str(error)) from None
        name = None if period is None else period.name
        return [{"file": str(file), "period": name} for file in files]


def add_mapped_steps(
    file: str,
    *,
    inlets: list[Asset],
    outlets: list[Asset],
    load: Mapping[str, Any],
    secrets: Mapping[str, str],
) -> BaseOperator:
    """Add the task that lists the items, and the four steps for each of them.

    What is refused of one item ends its own branch; the others go on.
    """
    name = read_config(file).name
    ends = EndRun(file, secrets)
    first = ListItemsOperator(task_id=LIST, file=file)

    @task_group(group_id=GROUP)
    def item(file: str, period: str | None) -> None:
        add_steps(
            file,
            inlets=inlets,
            outlets=outlets,
            load={**load, "period": period},
            secrets=secrets,
            publish={"mapped_from": name},
            ends=ends,
            map_index_template=LABEL,
        )

    item.expand_kwargs(first.output)
    return first
