"""Offers the built-in policies."""

from anon_transformers.hookspecs import hookimpl

POLICIES = {
    "ema-0070": (
        "EMA_0070",
        "European Medicines Agency, Policy 0070: a risk of 0.09, classes of 11.",
    ),
    "health-canada-prci": (
        "HEALTH_CANADA_PRCI",
        "Health Canada, public release of clinical information: a risk of 0.09, "
        "classes of 11.",
    ),
    "hipaa-safe-harbor": (
        "HIPAA_SAFE_HARBOR",
        "HIPAA safe harbor: rules for columns that hold the eighteen identifiers.",
    ),
    "ontario-11": ("ONTARIO_11", "Ontario, low invasion of privacy: classes of 11."),
    "ontario-15": (
        "ONTARIO_15",
        "Ontario, medium invasion of privacy: classes of 15.",
    ),
    "ontario-20": ("ONTARIO_20", "Ontario, high invasion of privacy: classes of 20."),
    "public-use-20": (
        "PUBLIC_USE_20",
        "Public-use files: classes of 20, as practice has it and no regulator demands.",
    ),
    "wp216": (
        "WP216",
        "Article 29 Working Party: singling out, linkability and inference.",
    ),
}


@hookimpl
def register_policies(register):
    for name, (constant, summary) in POLICIES.items():
        place = f"anon_transformers.policies._built_in:{constant}"
        register(name, place, summary=summary)
