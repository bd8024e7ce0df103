"""Data: what the columns are, and what each is to the persons in the table."""

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from anon_transformers.exceptions import AnonymizationError, DataError, shortened
from anon_transformers.studio import _profile, _propose
from anon_transformers.studio._columns import (
    AS_STATED,
    BOTH,
    CHOICES,
    KINDS,
    MEANINGS,
    NONE,
    ROLES,
    accept_unique,
    accepted,
    kind_choice,
    roles_of,
    set_dialect,
    set_kinds,
    set_roles,
    set_rows_are_persons,
)
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
    studio_of,
    whole_number,
    words_of,
)
from anon_transformers.studio._profile import PROFILE, TableProfile, key_of, profile_of
from anon_transformers.studio._project import Content, Project
from anon_transformers.studio._source import (
    ENCODINGS,
    SEPARATORS,
    StatedSource,
    TablePreview,
    preview,
    source_of,
)

SHOWN_ROWS = (20, 50, 200)
READING = "Reading the table"


def show(request: Request) -> Response:
    """The columns with their roles, some rows, and how the file is read."""
    project = project_of(request)
    try:
        source = source_of(project)
    except (AnonymizationError, OSError) as error:
        return _page(request, fault=words_of(error))
    profile, fault = profile_of(project, source), ""
    if profile is None:
        job, fault = read_first(request, project, source, "data")
        if job is not None:
            return RedirectResponse(job, 303)
        _say_once(request, fault)
    fault = _without_private_path(project, source, fault)
    return _page(request, source=source, profile=profile, fault=fault)


def _without_private_path(project: Project, source: StatedSource, fault: str) -> str:
    """Name an uploaded file by its name: where Studio keeps it is nobody's matter."""
    for file in source.files if project.owned else ():
        if file.is_relative_to(project.folder):
            fault = fault.replace(str(file), file.name)
    return fault


def read_first(
    request: Request, project: Project, source: StatedSource, page: str
) -> tuple[str | None, str]:
    """Read the table, unless that went wrong before; the job's address, or why."""
    job = studio_of(request).worker.last(project, PROFILE)
    if job is None or job.state not in ("failed", "cancelled"):
        return _read(request, project, source, page), ""
    if job.params.get("key") == key_of(project, source):
        return None, job.reason or "reading the table was cancelled."
    return _read(request, project, source, page), ""


def _say_once(request: Request, fault: str) -> None:
    """Leave out the notice of a job whose fault stands on the page anyway."""
    studio = studio_of(request)
    for kind, text in studio.take_notices():
        if text != fault:
            studio.notice(text, kind)


def _read(
    request: Request, project: Project, source: StatedSource, page: str = "data"
) -> str:
    asked = f"?{request.url.query}" if request.url.query else ""
    return start_job(
        request,
        PROFILE,
        READING,
        _profile.WORK,
        {"key": key_of(project, source)},
        back=address(request, page, asked),
    )


def _page(
    request: Request,
    source: StatedSource | None = None,
    profile: TableProfile | None = None,
    fault: str = "",
) -> Response:
    project = project_of(request)
    content = project.content
    own: dict[str, Any] = {"source": source, "profile": profile, "fault": fault}
    own |= {"dialect": None, "preview": None, "preview_fault": "", "is_mended": False}
    if source is not None and source.is_csv:
        own["dialect"] = AskedDialect.asked(request, source)
        own["preview"], own["preview_fault"] = _preview(
            request, project, source, own["dialect"], bool(fault)
        )
        found = own["preview"]
        own["is_mended"] = (
            found is not None
            and len(found.columns) > 1
            and "separator" in request.query_params
            and own["dialect"].is_other(source)
        )
    if profile is not None:
        own["table"] = _rows(request, profile)
        own["columns"] = _columns(content, profile)
        own["counts"] = _role_counts(content, profile)
        own["to_come"] = _propose.thresholds_to_come(content, profile)
        own["taken"] = _propose.taken(project)
        roles = content.get("roles") or {}
        own["rows_are_persons"] = bool(roles.get("rows_are_persons"))
    return render(
        request,
        "data.html",
        roles=ROLES,
        choices=CHOICES,
        meanings=MEANINGS,
        kinds=list(KINDS),
        separators=SEPARATORS,
        encodings=ENCODINGS,
        **own,
    )


class AskedDialect:
    """How a CSV file is read, or would be."""

    def __init__(self, separator: str, encoding: str, missing: Sequence[str]):
        self.separator, self.encoding, self.missing = separator, encoding, list(missing)

    @classmethod
    def asked(cls, request: Request, source: StatedSource) -> "AskedDialect":
        """What the address asks for; otherwise as the file states it."""
        given = request.query_params
        if "separator" not in given:
            shown = _shown_separator(source)
            return cls(shown, source.encoding, source.missing)
        return cls.of(given)

    @classmethod
    def of(cls, given: Any) -> "AskedDialect":
        """As a form has it."""
        name = str(given.get("separator", "comma"))
        lines = str(given.get("missing", "")).splitlines()
        return cls(
            SEPARATORS.get(name, name),
            str(given.get("encoding", "")).strip() or "utf-8",
            [line.strip() for line in lines if line.strip()],
        )

    @property
    def name(self) -> str:
        """What the form calls the separator."""
        return next(
            (name for name, sign in SEPARATORS.items() if sign == self.separator),
            self.separator,
        )

    def is_other(self, source: StatedSource) -> bool:
        """Whether the file states another separator or encoding."""
        stated = (source.separator, source.encoding.lower())
        return (self.separator, self.encoding.lower()) != stated


def _shown_separator(source: StatedSource) -> str:
    """The stated separator; where none is stated, the one that the file shows."""
    from anon_transformers.proposals._dialects import find_separator

    if "separator" in source.options:
        return source.separator
    try:
        return find_separator(source.files[0], source.separator, source.encoding)
    except (AnonymizationError, OSError):  # the reader says what is wrong
        return source.separator


def _preview(
    request: Request,
    project: Project,
    source: StatedSource,
    dialect: AskedDialect,
    has_fault: bool,
) -> tuple[TablePreview | None, str]:
    """The first rows, where they are asked for or the table cannot be read."""
    if "separator" not in request.query_params and not has_fault:
        return None, ""
    try:
        made = preview(
            project, source, dialect.separator, dialect.encoding, dialect.missing
        )
    except (AnonymizationError, OSError) as error:
        # What nobody asked for fails as the table does, and that is said already.
        is_asked = "separator" in request.query_params
        said = _without_private_path(project, source, words_of(error))
        return None, said if is_asked else ""
    return made, ""


def _rows(request: Request, profile: TableProfile) -> dict[str, Any]:
    """One page of the table."""
    count = whole_number(request.query_params.get("rows"), SHOWN_ROWS[0])
    count = count if count in SHOWN_ROWS else SHOWN_ROWS[0]
    last = max((profile.n_kept - 1) // count + 1, 1)
    number = min(max(whole_number(request.query_params.get("page"), 1), 1), last)
    first = (number - 1) * count
    return {
        "number": number,
        "last": last,
        "count": count,
        "counts": SHOWN_ROWS,
        "first": first,
        "rows": profile.rows(first, count),
    }


def _columns(content: Content, profile: TableProfile) -> list[dict[str, Any]]:
    """What the table of columns shows, a line per column."""
    roles, accepts = roles_of(content), accepted(content)
    stated = (content.get("source") or {}).get("columns") or {}
    lines = []
    for column in profile.columns:
        name = column["name"]
        role = roles.get(name, NONE)
        kind = kind_choice(stated.get(name))
        lines.append(
            {
                **column,
                "missing_share": column["missing"] / max(profile.n_rows, 1),
                "marked_share": column["marked"] / max(profile.n_rows, 1),
                "role": role,
                "role_choices": CHOICES if role != BOTH else {**CHOICES, BOTH: "both"},
                "kind_choice": kind,
                "is_described": kind == AS_STATED,
                "accepts": name in accepts,
            }
        )
    return lines


def _role_counts(content: Content, profile: TableProfile) -> dict[str, int]:
    roles = roles_of(content)
    held = [roles.get(name, NONE) for name in profile.names]
    return {role: held.count(role) for role in (*CHOICES, BOTH) if role in held}


def set_columns(request: Request, form: FormData) -> str:
    """Take the roles and kinds of the form into the file."""
    project = project_of(request)
    names = [str(one) for one in form.getlist("column")]
    roles = [str(one) for one in form.getlist("role")]
    kinds = [str(one) for one in form.getlist("kind")]
    if len(roles) != len(names) or (kinds and len(kinds) != len(names)):
        raise DataError("the form is not whole: a column lacks its role.")
    chosen = dict(zip(names, roles, strict=True))
    content = project.content
    before = {name: roles_of(content).get(name, NONE) for name in names}
    changed = [name for name in names if chosen[name] != before[name]]

    def change(content: Content) -> None:
        set_roles(content, chosen)
        if kinds:
            set_kinds(content, dict(zip(names, kinds, strict=True)))
        published = roles_of(content)
        accepts = [str(one) for one in form.getlist("accept")]
        accept_unique(
            content,
            [c for c in accepts if published.get(c) in ("sensitive", "insensitive")],
        )
        set_rows_are_persons(content, "rows_are_persons" in form)

    project.edit(_said(changed, chosen), change)
    return address(request, "data", "#columns")


def _said(changed: Sequence[str], chosen: dict[str, str]) -> str:
    if len(changed) == 1:
        role = CHOICES.get(chosen[changed[0]], chosen[changed[0]])
        return f"{shortened(changed[0], 40)}: {role}"
    return f"roles of {len(changed)} columns" if changed else "how columns are read"


def take_one(request: Request, form: FormData) -> str:
    """Take the proposal for one column."""
    project = project_of(request)
    profile = profile_of(project, source_of(project))
    name = str(form.get("take", ""))
    found = [] if profile is None else profile.columns
    column = next((one for one in found if one["name"] == name), None)
    if column is None or column["proposal"] is None:
        raise DataError("there is no proposal for this column.")
    chosen = {name: column["proposal"]["role"]}
    project.edit(
        _said([name], chosen), lambda content: set_roles(content, dict(chosen))
    )
    return address(request, "data", "#columns")


def take_all(request: Request, form: FormData) -> str:
    """Take roles, kinds, marks, hierarchies and thresholds as they are proposed."""
    return start_job(
        request,
        _propose.PROPOSE,
        "Taking the proposals",
        _propose.WORK,
        {"keep": "keep" in form},
        back=address(request, "data"),
    )


def set_options(request: Request, form: FormData) -> str:
    """State how the file is written, if its header can be read so."""
    from anon_transformers.release._files import csv_columns

    project = project_of(request)
    source, dialect = source_of(project), AskedDialect.of(form)
    if not source.is_csv:
        raise DataError("separator and encoding are for CSV files.")
    csv_columns(source.files[0], dialect.separator, dialect.encoding)
    project.edit(
        "how the file is read",
        lambda content: set_dialect(
            content, dialect.separator, dialect.encoding, dialect.missing
        ),
    )
    return address(request, "data")


def read_again(request: Request, form: FormData) -> str:
    """Read the table anew."""
    project = project_of(request)
    return _read(request, project, source_of(project))


PAGE = Page(
    "data",
    "Data",
    "See the table, and say what each column is.",
    (
        Route("/", show),
        form_route("/columns", set_columns),
        form_route("/take", take_one),
        form_route("/propose", take_all),
        form_route("/options", set_options),
        form_route("/read", read_again),
    ),
    of_tables=True,
)
