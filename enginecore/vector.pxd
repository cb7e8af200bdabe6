"""Vectors as users see them: tuples of floats with arithmetic, made quickly."""

cdef extern from *:
    """
    /* A tuple of a subclass, its floats put in by hand: half the time of calling the class. The
       garbage collector is not told: there is nothing in it that it could free. */
    static CYTHON_UNUSED PyObject* engine_make_vector(PyTypeObject* kind, const double* values,
                                                      Py_ssize_t n) {
        /* users' own classes have a dict behind the items, which must begin as zeros */
        PyTupleObject* out = kind->tp_basicsize == PyTuple_Type.tp_basicsize
                             ? PyObject_GC_NewVar(PyTupleObject, kind, n)
                             : (PyTupleObject*) kind->tp_alloc(kind, n);
        Py_ssize_t k;
        if (out == NULL)
            return NULL;
    #if PY_VERSION_HEX >= 0x030E0000
        out->ob_hash = -1;
    #endif
        for (k = 0; k < n; k++)
            PyTuple_SET_ITEM((PyObject*) out, k, NULL);
        for (k = 0; k < n; k++) {
            PyObject* item = PyFloat_FromDouble(values[k]);
            if (item == NULL) {
                Py_DECREF(out);
                return NULL;
            }
            PyTuple_SET_ITEM((PyObject*) out, k, item);
        }
        return (PyObject*) out;
    }

    static CYTHON_UNUSED void engine_drop_vector(PyObject* self) {
        PyTypeObject* kind = Py_TYPE(self);
        Py_ssize_t n = Py_SIZE(self), k;
        for (k = 0; k < n; k++)
            Py_XDECREF(PyTuple_GET_ITEM(self, k));
        PyObject_GC_Del(self);
        Py_DECREF(kind);
    }

    /* As a tuple of floats is freed: what Python does for a class that is written in it takes a
       third of the time of reading a vector. Others than floats may be nested without end. */
    static CYTHON_UNUSED void engine_free_vector(PyObject* self) {
        Py_ssize_t n = Py_SIZE(self), k;
        PyObject_GC_UnTrack(self);
        for (k = 0; k < n; k++) {
            PyObject* item = PyTuple_GET_ITEM(self, k);
            if (item == NULL || !PyFloat_CheckExact(item))
                break;
        }
        if (k == n) {
            engine_drop_vector(self);
            return;
        }
        Py_TRASHCAN_BEGIN(self, engine_free_vector)
        engine_drop_vector(self);
        Py_TRASHCAN_END
    }

    static CYTHON_UNUSED void engine_free_quickly(PyTypeObject* kind) {
    #if !defined(PYPY_VERSION) && !defined(Py_GIL_DISABLED)
        kind->tp_dealloc = engine_free_vector;
    #endif
    }
    """
    # A vector of a class (a subclass of Vector) with n floats.
    object make_vector "engine_make_vector" (type kind, const double* values, Py_ssize_t n)
    # Let a class of vectors (a subclass of Vector without slots) free them quickly.
    void free_quickly "engine_free_quickly" (type kind)
