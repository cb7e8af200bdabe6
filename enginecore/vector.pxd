"""Vectors as users see them: tuples of floats with arithmetic, made quickly."""

cdef extern from *:
    """
    /* A tuple of a subclass, its floats put in by hand: half the time of calling the class. The
       garbage collector is not told: there is nothing in it that it could free. */
    static CYTHON_UNUSED PyObject* engine_make_vector(PyTypeObject* kind, const double* values,
                                                      Py_ssize_t n) {
        PyTupleObject* out = PyObject_GC_NewVar(PyTupleObject, kind, n);
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
    """
    # A vector of a class (a subclass of Vector) with n floats.
    object make_vector "engine_make_vector" (type kind, const double* values, Py_ssize_t n)
