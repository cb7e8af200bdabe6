"""Distances and overlaps of shapes the slow way, to compare the engine's with.

It sees a shape's points, bulges and `closed`, and nothing else of the engine. Points of the plane
are complex numbers. Pieces of two outlines are compared each with each in closed form, so distances
are good to rounding; only areas come from polygons with many corners, by shapely.
"""

import cmath
import math
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import shapely

TURN = 2.0 * math.pi
# rad: an arc takes a direction that is outside by no more. The point moves by as much, the distance
# to anything it was nearest to by the square of it.
SECTOR_SLACK = 1e-12
TOUCH = 1e-12  # m, of outlines a few metres large: nearer than this they meet
SAGITTA = 1e-7  # m, between an arc and the chords that stand for it in a polygon


class Edge(NamedTuple):
    start: complex
    end: complex


class Arc(NamedTuple):
    start: complex
    end: complex
    centre: complex
    radius: float
    sweep: float  # rad, > 0 to the left


class Pair(NamedTuple):
    """Points of A's and of B's boundary that are nearest to each other, at least locally."""

    distance: float
    on_a: complex
    on_b: complex


def place(shape, pose):
    """The pieces of a shape's outline; pose is (x, y, angle)."""
    x, y, angle = pose
    turn, shift = cmath.rect(1.0, angle), complex(x, y)
    points = [shift + turn * complex(*point) for point in shape.points]
    if shape.closed:
        points.append(points[0])
    return [join(p, q, b) for (p, q), b in zip(pairwise(points), map(float, shape.bulges))]


def join(start, end, bulge):
    """The piece from start to end."""
    if bulge == 0.0:
        return Edge(start, end)
    chord = end - start
    centre = (start + end) / 2 + 1j * chord * (1 - bulge * bulge) / (4 * bulge)
    radius = abs(chord) * (1 + bulge * bulge) / (4 * abs(bulge))
    return Arc(start, end, centre, radius, 4 * math.atan(bulge))


def place_both(shape_a, pose_a, shape_b, pose_b):
    """The pieces of both, seen from B's place: far from the origin nothing else is lost."""
    (xa, ya, turn_a), (xb, yb, turn_b) = pose_a, pose_b
    return place(shape_a, (xa - xb, ya - yb, turn_a)), place(shape_b, (0.0, 0.0, turn_b))


# ---- nearest points ------------------------------------------------------------------------------


def reaches(arc, direction):
    """Whether the arc has a point in this direction from its centre."""
    if direction == 0:
        return False
    angle = cmath.phase(direction / (arc.start - arc.centre)) * math.copysign(1.0, arc.sweep)
    sweep = abs(arc.sweep)
    return angle % TURN <= sweep + SECTOR_SLACK or -angle % TURN <= SECTOR_SLACK


def at(arc, direction):
    """The arc's point in this direction, in a list; none if it does not get there."""
    if not reaches(arc, direction):
        return []
    return [arc.centre + arc.radius * direction / abs(direction)]


def foot(edge, point):
    """The edge's point at the foot of the perpendicular from `point`, in a list."""
    along = edge.end - edge.start
    t = ((point - edge.start) * along.conjugate()).real / abs(along) ** 2
    return [edge.start + t * along] if 0.0 <= t <= 1.0 else []


def stationary(piece, point):
    """Points inside a piece whose distance from `point` does not change along it."""
    if isinstance(piece, Edge):
        return foot(piece, point)
    return at(piece, point - piece.centre) + at(piece, piece.centre - point)


def crossings(p, q):
    """Points that two pieces have in common (tangents may be missed: they are stationary)."""
    if isinstance(p, Arc) and isinstance(q, Edge):
        return crossings(q, p)
    if isinstance(q, Edge):
        u, v, w = p.end - p.start, q.end - q.start, q.start - p.start
        across = (u.conjugate() * v).imag
        if across == 0.0:
            return []
        s, t = (w.conjugate() * v).imag / across, (w.conjugate() * u).imag / across
        return [p.start + s * u] if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0 else []
    if isinstance(p, Edge):
        along = (p.end - p.start) / abs(p.end - p.start)
        middle = p.start + ((q.centre - p.start) * along.conjugate()).real * along
        half = q.radius**2 - abs(middle - q.centre) ** 2
        spots = [middle + side * along for side in both_signs(half)]
        return [x for x in spots if foot(p, x) and reaches(q, x - q.centre)]
    apart = q.centre - p.centre
    if apart == 0:
        return []
    far = abs(apart)
    near = (far * far + p.radius**2 - q.radius**2) / (2 * far)
    spots = [
        p.centre + (near + 1j * side) * apart / far for side in both_signs(p.radius**2 - near**2)
    ]
    return [x for x in spots if reaches(p, x - p.centre) and reaches(q, x - q.centre)]


def both_signs(square):
    return [] if square < 0.0 else [math.sqrt(square), -math.sqrt(square)]


def common_normals(p, q):
    """Pairs of points inside two pieces that share a normal line."""
    if isinstance(p, Edge) and isinstance(q, Edge):
        return []  # parallel ones have it at an end too
    if isinstance(p, Edge):
        return [(x, y) for x in foot(p, q.centre) for y in stationary(q, x)]
    if isinstance(q, Edge):
        return [(y, x) for x, y in common_normals(q, p)]
    line = q.centre - p.centre
    return list(product(at(p, line) + at(p, -line), at(q, line) + at(q, -line)))


def local_pairs(p, q):
    """All pairs of points of two pieces among which the nearest ones are."""
    spots = [(x, x) for x in crossings(p, q)] + common_normals(p, q)
    for x in (p.start, p.end):
        spots += [(x, y) for y in stationary(q, x)]
        spots += [(x, q.start), (x, q.end)]
    for y in (q.start, q.end):
        spots += [(x, y) for x in stationary(p, y)]
    return [Pair(abs(x - y), x, y) for x, y in spots]


def boundary_pairs(pieces_a, pieces_b, slack=0.0):
    """The nearest pair of points of two boundaries, and all others no more than slack farther."""
    pairs, least = [], math.inf
    discs_a, discs_b = [around(p) for p in pieces_a], [around(q) for q in pieces_b]
    for (p, (m, h)), (q, (n, k)) in product(zip(pieces_a, discs_a), zip(pieces_b, discs_b)):
        if abs(m - n) - h - k <= least + slack + TOUCH:
            pairs += local_pairs(p, q)
            least = min(least, min(pair.distance for pair in pairs[-4:]))
    least = min(pair.distance for pair in pairs)
    return [pair for pair in pairs if pair.distance <= least + slack]


def around(piece):
    """Middle and radius of a disc that holds a piece."""
    if isinstance(piece, Edge) or abs(piece.sweep) < math.pi:
        return (piece.start + piece.end) / 2, abs(piece.end - piece.start) / 2
    return piece.centre, piece.radius


def distance_to_boundary(shape, pose, point):
    """Of a point (x, y)."""
    shift = complex(*point)
    pieces = place(shape, (pose[0] - shift.real, pose[1] - shift.imag, pose[2]))
    ends = [abs(piece.start) for piece in pieces] + [abs(piece.end) for piece in pieces]
    return min(ends + [abs(x) for piece in pieces for x in stationary(piece, 0j)])


# ---- inside and outside --------------------------------------------------------------------------


def winds_around(pieces, point):
    """Whether closed pieces wind around a point: their chords do, mended by each arc's segment."""
    count = 0
    for piece in pieces:
        u, v = piece.start - point, piece.end - point
        # a point on the chord counts as above it, as it does for the corners below
        side = (u.conjugate() * v).imag
        left = side > 0.0 or (side == 0.0 and v.real > u.real)
        if u.imag <= 0.0 < v.imag and left:
            count += 1
        elif v.imag <= 0.0 < u.imag and not left:
            count -= 1
        if isinstance(piece, Arc) and abs(point - piece.centre) < piece.radius:
            # between chord and arc: on the right of the chord if the arc turns left
            if piece.sweep > 0.0 and not left:
                count += 1
            elif piece.sweep < 0.0 and left:
                count -= 1
    return count != 0


def contains(shape, pose, point):
    """Whether a point (x, y) lies inside a closed shape."""
    return shape.closed and winds_around(place(shape, pose), complex(*point))


def distance(shape_a, pose_a, shape_b, pose_b):
    """Between two shapes; 0 where they overlap, one inside the other included."""
    pieces_a, pieces_b = place_both(shape_a, pose_a, shape_b, pose_b)
    if is_inside(shape_a, pieces_a, shape_b, pieces_b):
        return 0.0
    return boundary_pairs(pieces_a, pieces_b)[0].distance


def is_inside(shape_a, pieces_a, shape_b, pieces_b):
    """Whether one has a corner in the other."""
    return (shape_b.closed and any(winds_around(pieces_b, piece.start) for piece in pieces_a)) or (
        shape_a.closed and any(winds_around(pieces_a, piece.start) for piece in pieces_b)
    )


def nearest_pairs(shape_a, pose_a, shape_b, pose_b, slack=0.0):
    """The nearest pairs of points, in the world; none where the shapes overlap."""
    pieces_a, pieces_b = place_both(shape_a, pose_a, shape_b, pose_b)
    if is_inside(shape_a, pieces_a, shape_b, pieces_b):
        return []
    pairs = boundary_pairs(pieces_a, pieces_b, slack)
    if min(pair.distance for pair in pairs) <= TOUCH:
        return []
    shift = complex(pose_b[0], pose_b[1])
    return [Pair(d, x + shift, y + shift) for d, x, y in pairs]


# ---- convex shapes -------------------------------------------------------------------------------


def tangents(piece):
    """Unit directions in which a piece begins and ends."""
    if isinstance(piece, Edge):
        along = (piece.end - piece.start) / abs(piece.end - piece.start)
        return along, along
    side = 1j * math.copysign(1.0, piece.sweep) / piece.radius
    return side * (piece.start - piece.centre), side * (piece.end - piece.centre)


def is_convex(shape):
    """Whether a shape has neither a concave arc nor a corner that points inwards."""
    if not shape.closed:
        return len(shape.points) == 2 and shape.bulges[0] == 0.0
    pieces = place(shape, (0.0, 0.0, 0.0))
    if any(isinstance(piece, Arc) and piece.sweep < 0.0 for piece in pieces):
        return False
    ends = zip(pieces, pieces[1:] + pieces[:1])
    return all((tangents(p)[1].conjugate() * tangents(q)[0]).imag > -1e-9 for p, q in ends)


def support(pieces, directions):
    """How far pieces reach in each direction (array of unit complex numbers)."""
    corners = np.array([end for piece in pieces for end in (piece.start, piece.end)])
    reach = (corners[:, None] * directions.conj()).real.max(axis=0)
    for arc in pieces:
        if isinstance(arc, Arc):
            turned = directions / (arc.start - arc.centre) * arc.radius
            angle = np.angle(turned) * math.copysign(1.0, arc.sweep) % TURN
            far = (arc.centre * directions.conj()).real + arc.radius
            reach = np.where(angle <= abs(arc.sweep), np.maximum(reach, far), reach)
    return reach


def circles(pieces):
    """Centres that a convex shape's support turns about: of arcs, and corners."""
    return (
        [piece.start for piece in pieces]
        + [piece.end for piece in pieces]
        + [piece.centre for piece in pieces if isinstance(piece, Arc)]
    )


def convex_gap(shape_a, pose_a, shape_b, pose_b):
    """(gap, normal) of two convex shapes: the greatest extent of the room between them.

    Along a normal from B into A that is -h_B(n) - h_A(-n), < 0 where they overlap. Between normals
    of edges and ends of arcs it is n.(c1 - c2) minus a constant, so it is greatest at one of these
    or along one of the lines from centre to centre. The normal is complex.
    """
    pieces_a, pieces_b = place_both(shape_a, pose_a, shape_b, pose_b)
    found = [1.0 + 0j]
    for piece in pieces_a + pieces_b:
        found += [1j * tangent for tangent in tangents(piece)]
    found += [c1 - c2 for c1, c2 in product(circles(pieces_a), circles(pieces_b)) if c1 != c2]
    n = np.array(found)
    n = np.concatenate([n, -n]) / np.abs(np.concatenate([n, n]))
    room = -support(pieces_b, n) - support(pieces_a, -n)
    best = int(room.argmax())
    return float(room[best]), complex(n[best])


# ---- areas ---------------------------------------------------------------------------------------


def corners_of(piece, sagitta):
    """Points along a piece, without its end, so close that chords are within `sagitta` of it."""
    if isinstance(piece, Edge):
        return [piece.start]
    step = 2 * math.acos(max(0.0, 1 - sagitta / piece.radius))
    n = math.ceil(abs(piece.sweep) / step)
    arm = piece.start - piece.centre
    return [piece.centre + arm * cmath.rect(1.0, k * piece.sweep / n) for k in range(n)]


def to_shapely(shape, pose, sagitta=SAGITTA):
    """A polygon or line with many corners."""
    pieces = place(shape, pose)
    points = [x for piece in pieces for x in corners_of(piece, sagitta)]
    if not shape.closed:
        points.append(pieces[-1].end)
        return shapely.LineString([(x.real, x.imag) for x in points])
    return shapely.Polygon([(x.real, x.imag) for x in points])


def overlap_area(shape_a, pose_a, shape_b, pose_b, sagitta=1e-5):
    """m^2, of polygons that are within `sagitta` of the shapes; 0 for lines."""
    a, b = to_shapely(shape_a, pose_a, sagitta), to_shapely(shape_b, pose_b, sagitta)
    return a.intersection(b).area


def is_shallow(shape_a, pose_a, shape_b, pose_b, depth, sagitta=1e-5):
    """Whether no disc of radius `depth` (m) fits into the overlap."""
    a, b = to_shapely(shape_a, pose_a, sagitta), to_shapely(shape_b, pose_b, sagitta)
    return a.intersection(b).buffer(-depth).is_empty
