"""Texts that say that a value is missing."""

import re
import unicodedata
from collections.abc import Callable, Iterable

USUAL_MARKS = frozenset(
    {
        "-", "--", "---", ".", "..", "?", "??", "\\n", "\u2013", "\u2014", "+nan",
        "nan%", "#n/a", "#na", "#null", "#null!", "#value", "#value!", "#ref", "#ref!",
        "#div/0", "#div/0!", "#name?", "#num!", "#error", "#error!", "#calc!",
        "(null)", "<na>", "<null>", "[null]", "na", "nan", "nat", "nil", "none",
        "(none)", "null", "n.a", "n.a.", "n/a", "n.k.", "n/k", "n.d.", "n/d", "n.r.",
        "n/r", "d/k",
        # English
        "blank", "does not apply", "doesn't apply", "none recorded", "not avail",
        "not avail.", "nothing", "nr", "pending", "void", "xx", "xxx",
        "cannot say", "confidential", "declined", "declined to answer",
        "declined to say", "declined to state", "did not answer", "do not know",
        "do not wish to answer", "don't know", "don't wish to answer", "dunno", "empty",
        "idk", "inapplicable", "missing", "missing data", "missing value", "no answer",
        "no comment", "no data", "no entry", "no info", "no information", "no reply",
        "no response", "no value", "not answered", "not applicable", "not asked",
        "not assessed", "not available", "not collected", "not determined",
        "not disclosed", "not documented", "not entered", "not given", "not known",
        "not measured", "not provided", "not recorded", "not reported", "not specified",
        "not stated", "not sure", "not tested", "prefer not to answer",
        "prefer not to disclose", "prefer not to say", "prefer not to state",
        "rather not say", "redacted", "refused", "refused to answer", "refused to say",
        "skipped", "suppressed", "tba", "tbc", "tbd", "to be announced",
        "to be confirmed", "to be determined", "unavailable", "undefined",
        "undisclosed", "unk", "unkn", "unknown", "unreported", "unspecified", "unsure",
        "unstated", "withheld",
        # German
        "entf\u00e4llt", "fehlend", "fehlt", "k.a.", "keine", "keine angabe",
        "keine angaben", "keine antwort", "keine daten", "leer", "nicht angegeben",
        "nicht bekannt", "nicht beantwortet", "nicht erfasst", "nicht erhoben",
        "nicht verf\u00fcgbar", "nicht zutreffend", "o.a.", "ohne angabe",
        "ohne angaben", "unbek", "unbekannt", "verweigert", "weiss nicht",
        "weiss ich nicht",
        # French
        "aucun", "aucune", "aucune donn\u00e9e", "aucune r\u00e9ponse", "inconnu",
        "inconnue", "je ne sais pas", "manquant", "ne sait pas", "ne se prononce pas",
        "non applicable", "non communiqu\u00e9", "non concern\u00e9", "non connu",
        "non disponible", "non pr\u00e9cis\u00e9", "non renseign\u00e9",
        "non r\u00e9ponse", "non sp\u00e9cifi\u00e9", "nsp", "pas de r\u00e9ponse",
        "refus", "s/o", "s.o.", "sans objet", "sans r\u00e9ponse", "vide",
        # Spanish
        "desconocida", "desconocido", "faltante", "ninguna", "ninguno", "no aplica",
        "no aplicable", "no consta", "no contesta", "no disponible", "no especificado",
        "no informado", "no lo s\u00e9", "no procede", "no responde", "no sabe",
        "ns/nc", "prefiero no decirlo", "rechazado", "s/d", "s.d.", "sin dato",
        "sin datos", "sin especificar",
        "sin informaci\u00f3n", "sin respuesta", "vac\u00edo",
    }
)  # fmt: skip
"""Texts that say that a value is missing, as they are read.

No number is one: whether 9999 is a value or a mark, only the column's owner knows.
"""

FEWEST_LETTERS = 2
"""Of a mark that is found without its signs: ``\\N`` is one, and ``n`` is not."""
BETWEEN = frozenset({"or", "and", "oder", "und", "ou", "et", "o", "y"})
"""Words that join two marks."""
AROUND = "\"'()[] "


class Marks:
    """Marks of missing values, with and without their signs and accents.

    Parameters
    ----------
    marks : iterable of str
        As they are seen.
    bare : callable
        A text without signs that mean nothing.
    plain : callable
        A text without accents.

    Examples
    --------
    >>> marks = Marks(["unknown", "refused"], str, str)
    >>> marks.are("unknown (refused)", "unknown refused", "unknown refused")
    True
    """

    def __init__(
        self,
        marks: Iterable[str],
        bare: Callable[[str], str],
        plain: Callable[[str], str],
    ) -> None:
        seen = set(marks)
        # Without its sign an error of a spreadsheet is a word: #NAME?
        words = [mark for mark in seen if _letters(mark) and not mark.startswith("#")]
        self._bare = {bare(mark) for mark in words}
        self._plain = plain
        self._named = frozenset(
            {form for mark in seen | self._bare for form in (mark, plain(mark))}
        )
        phrases = {plain(mark) for mark in self._bare}
        starts = phrases | self._bare
        self._first = frozenset(phrase.partition(" ")[0] for phrase in starts)
        longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
        one = "|".join(map(re.escape, longest_first))
        between = "|".join(sorted(BETWEEN))
        self._several = re.compile(rf"(?:{one})(?:(?: (?:{between}))? (?:{one}))*\Z")

    def are(self, text: str, less: str, word: str) -> bool:
        """Whether a text is a mark, is made only of marks or says nothing.

        Parameters
        ----------
        text, less, word : str
            As it is seen, without signs that mean nothing, and as one value.
        """
        if text in self._named or less in self._named or word in self._named:
            return True
        if less.partition(" ")[0] in self._first:
            return self._several.match(self._plain(less)) is not None
        if text[:1].isalnum():
            return False
        return text.strip(AROUND) in self._named or says_nothing(text)


def _letters(mark: str) -> bool:
    return sum(map(str.isalnum, mark)) >= FEWEST_LETTERS


def says_nothing(text: str) -> bool:
    """Whether a text has neither a letter nor a digit nor a sign that means one.

    Examples
    --------
    >>> says_nothing("***"), says_nothing("+"), says_nothing("a")
    (True, False, False)
    """
    return not any(c.isalnum() or unicodedata.category(c)[0] == "S" for c in text)
