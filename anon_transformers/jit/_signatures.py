"""The types of arguments, from words."""

from typing import Any, get_type_hints

from numba import types


def _readonly(part: Any) -> Any:
    """An array that is not written, or a named tuple of such."""
    type_ = _as_type(part)
    parts = getattr(type_, "types", None)
    if parts is not None:
        owner = getattr(type_, "instance_class", None)
        return types.BaseTuple.from_types(tuple(map(_readonly, parts)), owner)
    return type_.copy(readonly=True) if isinstance(type_, types.Array) else type_


_NAMES = {
    "bool": types.boolean,
    "float64": types.float64,
    "generator": types.npy_rng,
    "int8": types.int8,
    "int32": types.int32,
    "int64": types.int64,
    "uint64": types.uint64,
    "readonly": _readonly,
}
_OF_PYTHON = {bool: types.boolean, int: types.int64, float: types.float64}


def argument_types(signature: str, dispatcher: Any) -> tuple[Any, ...]:
    """Types of a kernel's arguments.

    Parameters
    ----------
    signature : str
        As given to ``njit``; named tuples as the kernel's module names them, or one
        that it takes kernels from.
    dispatcher : numba dispatcher
        The kernel.

    Examples
    --------
    >>> from anon_transformers.jit import njit
    >>> @njit("int64[::1], bool")
    ... def total(numbers, doubled):
    ...     return numbers.sum() * (1 + doubled)
    >>> argument_types("int64[::1], bool", total)
    (Array(int64, 1, 'C', False, aligned=True), bool)
    """
    known = {**_of_callees(dispatcher), **dispatcher.py_func.__globals__}
    return tuple(_as_type(part) for part in _evaluated(f"({signature},)", known))


def _of_callees(dispatcher: Any) -> dict[str, Any]:
    """What is known where the kernels are at home that the kernel's module takes."""
    known: dict[str, Any] = {}
    for value in dispatcher.py_func.__globals__.values():
        if hasattr(value, "py_func"):
            known |= value.py_func.__globals__
    return known


def _evaluated(text: str, known: dict[str, Any]) -> Any:
    return eval(text, {"__builtins__": {}}, {**known, **_NAMES})


def _as_type(part: Any) -> Any:
    if isinstance(part, tuple):
        return types.BaseTuple.from_types(tuple(map(_as_type, part)))
    if isinstance(part, type) and issubclass(part, tuple):
        return types.BaseTuple.from_types(_fields(part), part)
    if isinstance(part, type) and part in _OF_PYTHON:
        return _OF_PYTHON[part]
    if not isinstance(part, types.Type):
        raise TypeError(f"{part!r} is not a type that numba knows")
    return part


def _fields(named_tuple: Any) -> tuple[Any, ...]:
    """Types of the fields, as ``Annotated[np.ndarray, "int64[::1]"]`` or ``int``."""
    hints = get_type_hints(named_tuple, include_extras=True)
    return tuple(_as_type(_stated(hints[name])) for name in named_tuple._fields)


def _stated(hint: Any) -> Any:
    metadata = getattr(hint, "__metadata__", None)
    return _evaluated(metadata[0], {}) if metadata else hint
