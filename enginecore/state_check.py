"""What states that were read from a pickle must be in any dimension, before any of it is used.

Everything that a step, a query or an event uses as an index is within its array, every list ends,
every number is finite and within its bounds, and what follows from other numbers agrees with them.
A digest over all of it comes first: what was changed by accident is refused whatever it means.
Heads of what there is are looked at by enginecore.head_check.
"""

import hashlib

import numpy as np

MOST_IDS = 1 << 29
MOST_TIME = 1e300  # s
# Lists that states of all worlds have.
LISTS = (
    "handles",
    "free_ids",
    "gone",
    "shape_objects",
    "joint_handles",
    "joint_free_ids",
    "joint_gone",
)


def refuse(what, value=None):
    """Say what is wrong with a state."""
    raise ValueError(
        f"this snapshot is not sound: {what}"
        if value is None
        else f"this snapshot is not sound: {what}, got {value!r}"
    )


def digest_of(state, names):
    """What tells a state from any other, whatever the data of its bodies and joints."""
    h = hashlib.blake2b(digest_size=16)
    for name in names:
        h.update(name.encode())
        value = state[name]
        feed(h, [item is None for item in value] if name.endswith("handles") else value)
    return h.hexdigest()


def feed(h, value):
    """Add a value to a digest: the bytes of arrays, the text of all else."""
    if isinstance(value, np.ndarray):
        h.update(str(value.shape).encode())
        h.update(np.ascontiguousarray(value).data)
    elif isinstance(value, (list, tuple)):
        h.update(f"[{len(value)}".encode())
        for item in value:
            feed(h, item)
    else:
        h.update(repr(value).encode())


def taken(value, name, kind):
    """A private, contiguous copy of an array of one axis."""
    if type(value) is not np.ndarray or value.dtype != kind or value.ndim != 1:
        refuse(f"{name} must be an array of {np.dtype(kind)}", value)
    return np.array(value, order="C")


def take_items(given, items, single, lists, values):
    """A private copy of a state: `items` are arrays of bytes by the size of what they hold,
    `single` those that hold one, `lists` and `values` the other names."""
    if type(given) is not dict or set(given) != {*items, *lists, *values, "digest"}:
        refuse("it must be a dict with the entries of a state")
    state = {name: taken(given[name], name, np.uint8) for name in items}
    for name, size in items.items():
        n, rest = divmod(state[name].nbytes, size)
        if rest or n >= MOST_IDS or (name in single and n != 1):
            refuse(f"{name} must be whole items of {size} bytes", state[name].nbytes)
    for name in lists:
        if type(given[name]) is not list:
            refuse(f"{name} must be a list", given[name])
        state[name] = list(given[name])
    for name in (*values, "digest"):
        state[name] = given[name]
    return state


def check_digest(state, names):
    """Refuse a state whose digest over `names` is not the one it holds."""
    try:
        known = digest_of(state, names) == state["digest"]
    except Exception:  # whatever is in it
        known = False
    if not known:
        refuse("its digest is not that of what it holds")


def check_settings(state, axes, most, fastest):
    """Settings that worlds of any dimension have; most: the greatest length (m), fastest: the
    greatest speed and acceleration (m/s, m/s^2)."""
    pull = state["gravity"]
    if (
        type(pull) is not tuple
        or len(pull) != axes
        or not all(type(g) is float and abs(g) <= fastest for g in pull)
    ):
        refuse(f"gravity must be {axes} numbers within bounds", pull)
    if type(state["time_scale"]) is not float or not 0.0 < state["time_scale"] < np.inf:
        refuse("time_scale must be a number > 0", state["time_scale"])
    if type(state["margin"]) is not float or not 0.0 <= state["margin"] <= most:
        refuse("margin must be a number >= 0", state["margin"])
    check_clock(state, most)
    check_passes(state["passes"], len(state["handles"]))


def check_clock(state, most):
    """Times, solver and sleep."""
    if type(state["time"]) is not float or not 0.0 <= state["time"] <= MOST_TIME:
        refuse("time must be a number >= 0", state["time"])
    if type(state["steps"]) is not int or not 0 <= state["steps"] < 1 << 62:
        refuse("steps must be a whole number >= 0", state["steps"])
    if type(state["sleeping"]) is not bool and state["sleeping"] not in (0, 1):
        refuse("sleeping must be True or False", state["sleeping"])
    if type(state["disturbed"]) is not bool:
        refuse("disturbed must be True or False", state["disturbed"])
    if type(state["solver"]) is not int or not 0 <= state["solver"] <= 2:
        refuse("solver must be 0, 1 or 2", state["solver"])
    span = state["joint_span"]
    if type(span) is not float or not 0.0 <= span <= most:
        refuse("joint_span must be a number >= 0", span)


def check_passes(passes, n_ids):
    """Pairs of bodies that are let through."""
    if type(passes) is not tuple or not all(
        type(ids) is tuple
        and len(ids) == 2
        and all(type(id) is int and 0 <= id < n_ids for id in ids)
        for ids in passes
    ):
        refuse("passes must be pairs of ids of bodies", passes)


def check_ids(rows, row_ids, handles, free, gone, what):
    """Entries (`rows` by id) and items (`row_ids` by row) point at each other; free ids are those
    without an item, once each."""
    n, spare = len(rows), [*free, *gone]
    if not all(type(k) is int and 0 <= k < n for k in spare) or len(set(spare)) != len(spare):
        refuse(f"free ids of {what} must be ids, once each", spare)
    if len(handles) != n:
        refuse(f"there must be a handle or None for each id of {what}", len(handles))
    used = {k: int(row) for k, row in enumerate(rows) if row >= 0}
    if sorted(used.values()) != list(range(len(row_ids))) or any(
        row_ids[row] != k for k, row in used.items()
    ):
        refuse(f"entries of {what} must be those of what there is")
    if len(used) + len(spare) != n or any(k in used for k in spare):
        refuse(f"an id of {what} must be in use or free", spare)
    if any(handles[k] is None for k in used) or any(handles[k] is not None for k in free):
        refuse(f"{what} must have handles, and what is not there none")


def check_tables(state, body_ids, joint_ids, entry_size, joint_type):
    """Ids by row against the tables of bodies and joints, and what handles are written as."""
    for ids, prefix, what in ((body_ids, "", "bodies"), (joint_ids, "joint_", "joints")):
        rows = state[f"{prefix}entries"].view(np.int32).reshape(-1, entry_size // 4)[:, 0]
        free, gone = state[f"{prefix}free_ids"], state[f"{prefix}gone"]
        check_ids(rows, ids, state[f"{prefix}handles"], free, gone, what)
    for item in state["handles"]:
        if item is not None and (type(item) is not tuple or len(item) != 1):
            refuse("handles must be given by their data", item)
    for item in state["joint_handles"]:
        if item is not None and not (
            type(item) is tuple
            and len(item) == 2
            and isinstance(item[0], type)
            and issubclass(item[0], joint_type)
        ):
            refuse("handles of joints must be kinds and data", item)


def take_boxes(given, n_shapes):
    """Private copies of the broad phase's arrays, of the right sizes."""
    if type(given) is not tuple or len(given) != 6:
        refuse("boxes must be what the broad phase saved")
    *arrays, live, free, removed = given
    arrays = [taken(array, "boxes", np.float64) for array in arrays]
    live = taken(live, "boxes", np.uint8)
    if live.size != n_shapes or any(array.size != 6 * n_shapes for array in arrays):
        refuse("there must be as many boxes as shapes", live.size)
    if live.size and live.max() > 1:
        refuse("boxes must be there or not")
    for ids in (free, removed):
        if type(ids) is not tuple or not all(type(k) is int and 0 <= k < n_shapes for k in ids):
            refuse("free boxes must be ids", ids)
    spare = [*free, *removed]
    if (
        len(set(spare)) != len(spare)
        or len(spare) != live.size - int(live.sum())
        or any(live[k] for k in spare)
    ):
        refuse("every id without a box must be free, once", spare)
    return (*arrays, live, free, removed)


def check_boxes(boxes, most):
    """Boxes are boxes of at most this size (m), those that are not there are nowhere."""
    *arrays, live, free, _ = boxes
    for name, array in zip(("tight", "fat", "before"), arrays):
        low, high = array.reshape(-1, 6)[:, :3], array.reshape(-1, 6)[:, 3:]
        nowhere = ((low == np.inf) & (high == -np.inf)).all(1)
        sound = ((-most <= low) & (low <= high) & (high <= most)).all(1)
        if name == "before":
            there = np.ones(len(live), bool)
            there[list(free)] = False
            wrong = np.where(there, ~(sound | nowhere), ~nowhere)
        else:
            wrong = np.where(live == 1, ~sound, ~nowhere)
        if wrong.any():
            refuse(f"{name} boxes must be boxes", np.nonzero(wrong)[0].tolist())
    tight, fat = (array.reshape(-1, 6)[live == 1] for array in arrays[:2])
    if not ((fat[:, :3] <= tight[:, :3]) & (tight[:, 3:] <= fat[:, 3:])).all():
        refuse("fat boxes must be around the others")
