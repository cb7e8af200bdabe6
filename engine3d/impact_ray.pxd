"""The one direction in which a contact without slip starts to slide if friction is too weak."""

# The unit direction (dx, dy) of the diverging ray for friction mu, tangential block M and
# coupling k of the collision matrix. Sticking must be unstable: |M^-1 k| > mu.
cdef void find_diverging_ray(double mu, double Mxx, double Mxy, double Myy, double kx, double ky,
                             double* dx, double* dy) noexcept nogil
