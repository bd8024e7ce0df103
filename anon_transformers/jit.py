"""How hot loops are compiled, here and in plugins."""

from anon_transformers._kernels._jit import njit, njit_nogil, njit_parallel

__all__ = ["njit", "njit_nogil", "njit_parallel"]
