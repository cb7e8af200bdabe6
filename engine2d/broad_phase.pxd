"""The boxes in which moving bodies are looked for."""

from engine2d.contact cimport Scene
from engine2d.store cimport BodyStore

# Give the broad phase the boxes that the shapes of moving bodies will sweep in scene.dt; writes how
# far their users' forces push them.
cdef void sweep_boxes(BodyStore store, const Scene* scene) noexcept nogil
