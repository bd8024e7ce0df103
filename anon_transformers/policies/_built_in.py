"""The built-in policies. Every bound is that of the document it cites."""

from anon_transformers.policies._policy import Citation, Policy
from anon_transformers.policies._safe_harbor import ATTESTATIONS, RULES

ONLY_SIZES = (
    "That classes differ in sensitive values, that several releases together keep the "
    "bound, or that the quasi-identifiers are well chosen."
)
EMA_GUIDANCE = Citation(
    "External guidance on the implementation of the European Medicines Agency policy "
    "on the publication of clinical data for medicinal products for human use "
    "(Policy 0070), EMA/90915/2016, version 1.3",
    "European Medicines Agency",
    2017,
    "https://www.ema.europa.eu/en/human-regulatory-overview/marketing-authorisation/"
    "clinical-data-publication",
)
HEALTH_CANADA_GUIDANCE = Citation(
    "Guidance document: Public Release of Clinical Information",
    "Health Canada",
    2019,
    "https://www.canada.ca/en/health-canada/services/drug-health-product-review-"
    "approval/profile-public-release-clinical-information-guidance/document.html",
)
ONTARIO_GUIDELINES = Citation(
    "De-identification Guidelines for Structured Data, updated and expanded edition",
    "Information and Privacy Commissioner of Ontario",
    2025,
    "https://www.ipc.on.ca/en/resources/de-identification-guidelines-structured-data",
)
PUBLIC_FILES = Citation(
    "Sharing Clinical Trial Data: Maximizing Benefits, Minimizing Risk, Appendix B: "
    "Concepts and Methods for De-identifying Clinical Trial Data (K. El Emam, B. "
    "Malin)",
    "Institute of Medicine, National Academies Press",
    2015,
    "https://doi.org/10.17226/18998",
)
HIPAA_RULE = Citation(
    "45 CFR 164.514(b)(2), HIPAA Privacy Rule: de-identification by the safe harbor "
    "method",
    "US Department of Health and Human Services",
    2002,
    "https://www.ecfr.gov/current/title-45/subtitle-A/subchapter-C/part-164/subpart-E/"
    "section-164.514",
)
HIPAA_GUIDANCE = Citation(
    "Guidance Regarding Methods for De-identification of Protected Health Information "
    "in Accordance with the HIPAA Privacy Rule",
    "US Department of Health and Human Services, Office for Civil Rights",
    2012,
    "https://www.hhs.gov/hipaa/for-professionals/special-topics/de-identification/"
    "index.html",
)
WP216_OPINION = Citation(
    "Opinion 05/2014 on Anonymisation Techniques (WP216)",
    "Article 29 Data Protection Working Party",
    2014,
    "https://ec.europa.eu/justice/article-29/documentation/opinion-recommendation/"
    "files/2014/wp216_en.pdf",
)


def _classes_of(
    name: str, k: int, title: str, citations: tuple[Citation, ...]
) -> Policy:
    return Policy(
        name=name,
        version="1",
        title=title,
        claims=(
            f"Every class of the published table holds at least {k} persons, or rows "
            "where the file names no subject."
        ),
        not_claimed=ONLY_SIZES,
        citations=citations,
        thresholds=({"model": "k-anonymity", "k": k},),
    )


# 0.09 is written for 1/11 = 0.0909…: the Ontario guidelines give 11 beside it. Whoever
# reads it to the letter tightens to 12 in the release file.
EMA_0070 = _classes_of(
    "ema-0070",
    11,
    "European Medicines Agency, Policy 0070: a risk of 0.09, classes of 11.",
    (EMA_GUIDANCE, ONTARIO_GUIDELINES),
)
HEALTH_CANADA_PRCI = _classes_of(
    "health-canada-prci",
    11,
    "Health Canada, public release of clinical information: a risk of 0.09, classes "
    "of 11.",
    (HEALTH_CANADA_GUIDANCE, ONTARIO_GUIDELINES),
)
ONTARIO_11 = _classes_of(
    "ontario-11",
    11,
    "Ontario, low invasion of privacy: classes of 11.",
    (ONTARIO_GUIDELINES,),
)
ONTARIO_15 = _classes_of(
    "ontario-15",
    15,
    "Ontario, medium invasion of privacy: classes of 15.",
    (ONTARIO_GUIDELINES,),
)
ONTARIO_20 = _classes_of(
    "ontario-20",
    20,
    "Ontario, high invasion of privacy: classes of 20.",
    (ONTARIO_GUIDELINES,),
)
PUBLIC_USE_20 = _classes_of(
    "public-use-20",
    20,
    "Public-use files: classes of 20, as practice has it and no regulator demands.",
    (PUBLIC_FILES,),
)
HIPAA_SAFE_HARBOR = Policy(
    name="hipaa-safe-harbor",
    version="1",
    title="HIPAA safe harbor: rules for columns that hold the eighteen identifiers.",
    claims=(
        "No published column was recognized as one of the eighteen kinds of "
        "identifiers beyond what the rule leaves; what cannot be recognized is "
        "attested by the release file."
    ),
    not_claimed=(
        "That nothing else identifies a person, that what the file attests is true, "
        "or that classes are of any size: safe harbor gives no k."
    ),
    citations=(HIPAA_RULE, HIPAA_GUIDANCE),
    rules=RULES,
    attestations=ATTESTATIONS,
)
WP216 = Policy(
    name="wp216",
    version="1",
    title="Article 29 Working Party: singling out, linkability and inference.",
    claims=(
        "Singling out, linkability and inference were attacked beside a held-out part "
        "that the release file names, and expose at most the shares that it states."
    ),
    not_claimed=(
        "That these bounds are low enough, for the opinion gives no number and the "
        "file states its own; or that the held-out part is of the same population."
    ),
    citations=(WP216_OPINION,),
    checks=("singling-out", "linkability", "inference"),
)
