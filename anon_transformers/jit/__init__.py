"""The one way a hot loop is compiled, and kept for the next process.

Nothing is compiled at import. A kernel that Python calls names the types of its
arguments, so that ``anon compile`` can compile it ahead; a kernel that only kernels
call is compiled with them and names none.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.jit._ahead import CompileOutcome, compile_kernels
    from anon_transformers.jit._decorators import (
        Kernel,
        kernels,
        njit,
        njit_nogil,
        njit_parallel,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "CompileOutcome",
    "Kernel",
    "compile_kernels",
    "kernels",
    "njit",
    "njit_nogil",
    "njit_parallel",
]
