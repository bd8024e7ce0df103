"""How the documentation is built: `make docs`. Nothing here touches the network."""

import logging
import os
import sys
import warnings
from importlib.metadata import version as installed_version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
# Importing Airflow for the reference writes its settings into its home.
os.environ["AIRFLOW_HOME"] = str(HERE / "_build" / "airflow")
os.environ["AIRFLOW__CORE__LOAD_EXAMPLES"] = "False"
# Great Expectations counts who uses it, unless it is told not to.
os.environ["GX_ANALYTICS_ENABLED"] = "False"
logging.getLogger("great_expectations").setLevel(logging.WARNING)
# It still imports two modules of the standard library that are deprecated.
warnings.filterwarnings("ignore", "module 'sre_", DeprecationWarning)

project = "anon-transformers"
author = "the authors of anon-transformers"
project_copyright = author
release = version = installed_version(project)

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "release_keys",
    "registered_names",
    "no_network",
]
exclude_patterns = ["_build", "_ext", "gallery/**/GALLERY_HEADER.rst"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]  # functions among the settings of the gallery

# The signature shows names and defaults; numpydoc says what they are.
autodoc_typehints = "none"
autodoc_member_order = "alphabetical"
toc_object_entries_show_parents = "hide"
smartquotes = False  # "left" in a list of choices is a text, not a quotation
autosummary_generate = False  # api_pages writes the pages
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples", "../plugins/graphs/examples"],
    "gallery_dirs": ["gallery/tables", "gallery/graphs"],
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("anon_transformers", "anon_transformers_graphs"),
    "ignore_pattern": r"(^|/)_",
    "within_subsection_order": "gallery_order.place",
    "minigallery_sort_order": "gallery_order.place_of_path",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1,
    # Its page would fetch scripts.
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "anon-transformers"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
}
html_sidebars = {
    "getting_started": [],
    "architecture": [],
    "plugins": [],
    "changes": [],
}
