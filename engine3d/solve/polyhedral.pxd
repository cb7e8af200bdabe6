"""Friction as a polyhedral cone of k directions: one linear complementarity problem, as textbooks
have it. For small worlds, to compare with the isotropic cone (docs/maths/solver3d.md)."""

from engine3d.solve.cone cimport Cone

# As solver_direct's solve_cones, with k directions a contact; takes the GIL.
cdef void solve_polyhedral(Cone* cones, int n, double* V, int m, int k) noexcept nogil
