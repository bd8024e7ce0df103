"""What ``airflow providers list`` shows; Airflow reads it, and it imports nothing."""

from typing import Any


def get_provider_info() -> dict[str, Any]:
    """Describe the library as a provider of Airflow.

    Examples
    --------
    >>> get_provider_info()["package-name"]
    'anon-transformers'
    """
    from importlib.metadata import version

    return {
        "package-name": "anon-transformers",
        "name": "Anonymization",
        "description": "Anonymizes tables and graphs, and runs it as gated releases.",
        "versions": [version("anon-transformers")],
    }
