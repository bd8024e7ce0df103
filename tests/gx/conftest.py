"""Contexts, tables and stand-in plugins for the Great Expectations tests."""

from dataclasses import replace
from importlib.metadata import entry_points

import pandas as pd
import pytest

from anon_transformers.registry import create_registry

gx = pytest.importorskip("great_expectations")


@pytest.fixture
def people():
    """Two classes of two and one of three; k is 2, average risk 3/7."""
    return pd.DataFrame(
        {
            "age": [20, 20, 30, 30, 30, 40, 40],
            "sex": ["f", "f", "m", "m", "m", "m", "m"],
            "job": ["a", "b", "a", "a", "c", "b", "c"],
        }
    )


@pytest.fixture
def context():
    found = gx.get_context(mode="ephemeral")
    found.variables.progress_bars = {"globally": False}
    return found


@pytest.fixture
def file_context(tmp_path):
    found = gx.get_context(mode="file", project_root_dir=tmp_path / "project")
    found.variables.progress_bars = {"globally": False}
    return found


@pytest.fixture
def validate(context):
    """Evaluate one expectation, or a suite, on a table."""

    def run(frame, asked, **parameters):
        source = context.data_sources.add_or_update_pandas("tables")
        batch = source.read_dataframe(frame)
        return batch.validate(asked, expectation_parameters=parameters)

    return run


@pytest.fixture
def publish_docs(file_context):
    """Run a checkpoint on a table and write Data Docs."""

    def run(frame, suite, **parameters):
        source = file_context.data_sources.add_pandas("tables")
        asset = source.add_dataframe_asset("anon")
        definition = file_context.validation_definitions.add(
            gx.ValidationDefinition(
                name="definition",
                data=asset.add_batch_definition_whole_dataframe("all"),
                suite=file_context.suites.add(suite),
            )
        )
        checkpoint = file_context.checkpoints.add(
            gx.Checkpoint(
                name="checkpoint",
                validation_definitions=[definition],
                actions=[gx.checkpoint.UpdateDataDocsAction(name="docs")],
            )
        )
        result = checkpoint.run({"dataframe": frame}, expectation_parameters=parameters)
        file_context.build_data_docs()
        return result

    return run


@pytest.fixture
def install(monkeypatch):
    """Put models and metrics of a stand-in plugin into the registry."""

    def run(models=None, metrics=None, broken=()):
        found = create_registry(entry_points(group="anon_transformers"))
        for name, cls in (models or {}).items():
            found.privacy_models.add(name, cls, "stand-in")
        for name, cls in (metrics or {}).items():
            found.metrics.add(name, cls, "stand-in")
        found = replace(found, broken=tuple(broken))
        for user in ("_judging", "gate"):
            monkeypatch.setattr(f"anon_transformers.gx.{user}.registry", lambda: found)
        return found

    return run
