"""Kernels say what they are called with, and it fits."""

import ast
import importlib
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numba import typeof, types

from anon_transformers.jit import kernels, njit
from anon_transformers.jit._ahead import import_kernels, kernel_modules
from anon_transformers.jit._signatures import argument_types


class Inner(NamedTuple):
    codes: Annotated[np.ndarray, "int32[:, ::1]"]
    k: int
    strict: bool


@njit
def kernel(one, other):
    return other


def test_types_are_those_of_the_values():
    codes = np.zeros((2, 2), np.int32)
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    pair = (np.zeros(1), np.zeros(1, np.int64))
    found = argument_types("Inner, readonly(float64[::1])", kernel)
    assert found == (typeof(Inner(codes, 3, True)), typeof(fixed))
    found = argument_types("(float64[::1], int64[::1]), generator", kernel)
    assert found == (typeof(pair), typeof(np.random.default_rng(0)))
    assert argument_types("float64[:, :], uint64", kernel)[0].layout == "A"


def test_what_is_not_a_type_is_refused():
    with pytest.raises(TypeError, match="is not a type that numba knows"):
        argument_types("Path", kernel)


def test_every_signature_fits_its_kernel():
    assert import_kernels(kernel_modules()) == []
    named = [kernel for kernel in kernels() if kernel.signatures]
    assert len(named) > 90
    for dispatcher, signatures in named:
        count = dispatcher.py_func.__code__.co_argcount
        for signature in signatures:
            found = argument_types(signature, dispatcher)
            assert len(found) == count, (dispatcher, signature)
            assert all(isinstance(one, types.Type) for one in found)


def test_what_python_calls_names_its_types_and_nothing_else_does():
    sources = {name: read(name) for name in kernel_modules()}
    decorated = {
        (name, node.name): any(isinstance(d, ast.Call) for d in node.decorator_list)
        for name, tree in sources.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and is_kernel(node)
    }
    called = called_from_python(sources, decorated)
    assert {key for key in called if not decorated[key]} == set()
    assert {key for key, named in decorated.items() if named} - called == set()


def read(module):
    return ast.parse(Path(importlib.import_module(module).__file__).read_text())


def is_kernel(node):
    def name(decorator):
        return getattr(getattr(decorator, "func", decorator), "id", "")

    return any(name(d).startswith("njit") for d in node.decorator_list)


def called_from_python(sources, kernels):
    """Kernels that are named outside of kernels, in all modules of the packages."""
    found = set()
    for package in {name.partition(".")[0] for name in sources}:
        folder = Path(importlib.import_module(package).__file__).parent
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found |= named_in(ast.parse(path.read_text()), ".".join(parts), kernels)
    return found


def named_in(tree, module, kernels):
    names = {name: (module, name) for owner, name in kernels if owner == module}
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (node.module, alias.name) in kernels:
                    names[alias.asname or alias.name] = (node.module, alias.name)
                modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    found = set()
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef) and is_kernel(node):
            continue
        left += ast.iter_child_nodes(node)
        if isinstance(node, ast.Name) and node.id in names:
            found.add(names[node.id])
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            key = (modules.get(node.value.id), node.attr)
            found |= {key} & set(kernels)
    return found
