"""What the world keeps of a body: four arrays of one order, the first one enginecore's heads."""

from engine3d.pose cimport Pose
from engine3d.quat cimport Quat
from engine3d.vec3 cimport Mat3, Vec3

# 128 bytes: what the solvers read and write. Of a dynamic body the angular momentum is the state
# and w follows from it; of a kinematic one w is, and L is not looked at.
ctypedef struct Motion:
    Vec3 v          # m/s, of the centre of mass
    double inv_m    # 1/kg; 0: no impulse moves it
    Vec3 w          # rad/s, in the world's axes
    double push     # m, that its user's forces, not gravity, can add to its way in a step
    Vec3 L          # kg m^2/s, about the centre of mass, in the world's axes
    double unused
    Vec3 d          # m, how far the centre has come in this step
    double unused_too

# 192 bytes: where it is.
ctypedef struct Place:
    Pose pose       # of the frame its shapes are given in
    Vec3 x          # m, centre of mass
    Quat q          # orientation of the frame; pose.r is its matrix
    double bounding_radius    # m, the farthest point of its shapes from the centre of mass
    double fill[4]

# The rest. Tensors are about the centre of mass, in the frame of the shapes.
ctypedef struct BodyData:
    Vec3 local_center      # m, centre of mass in the shapes' frame
    # BodySettings:
    double mass, gravity_scale, linear_damping, angular_damping
    Mat3 inertia           # kg m^2
    Mat3 inv_I             # 1/(kg m^2); 0: no impulse turns it
    Mat3 root              # its symmetric square root
    Mat3 inv_root          # the inverse of that; 0 where it is 0
    double swept_radius    # m, how far from the centre turning moves its surface; 0: centred sphere
    double thickness       # m, of its thinnest shape
    Vec3 force             # N, of the user, until the next step is done
    Vec3 torque            # N m
    Vec3 last_w            # rad/s, one sub-step ago: of bodies with joints
    double fill[2]         # to whole cache lines
