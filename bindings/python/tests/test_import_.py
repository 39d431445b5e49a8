"""Objects that lie: capsules of other names, structures that contradict themselves, iterators that raise."""

import ctypes

import pelton
import pyarrow as pa

from support import Case

ROWS = pa.table({"x": [1, 2, 3]})


class ArrowSchema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class ArrowStream(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowStream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowSchema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ArrowStream), ctypes.POINTER(ArrowArray))
GET_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ArrowStream))

ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
ArrowStream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype = ctypes.c_void_p
pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def at(capsule, kind, name):
    """The structure that a capsule points to."""
    return ctypes.cast(pointer_of(capsule, name), ctypes.POINTER(kind)).contents


def copied(structure, release):
    """The structure and those below it in memory of their own, with another release: the producer's own would look at what
    tests change."""
    copy = type(structure)()
    ctypes.memmove(ctypes.addressof(copy), ctypes.addressof(structure), ctypes.sizeof(structure))
    below = [copied(structure.children[i].contents, release) for i in range(structure.n_children)]
    if below:
        copy.children = (ctypes.POINTER(type(structure)) * len(below))(*map(ctypes.pointer, below))
    if isinstance(structure, ArrowArray) and structure.n_buffers:
        copy.buffers = (ctypes.c_void_p * structure.n_buffers)(*structure.buffers[: structure.n_buffers])
    copy.release = release
    copy.below = below
    return copy


class Pair:
    """A batch of pyarrow's, whose structures `change` changes before they are given away."""

    def __init__(self, batch, change):
        self.capsules = batch.__arrow_c_array__()
        self.released = []
        self.schema = copied(at(self.capsules[0], ArrowSchema, b"arrow_schema"), RELEASE_SCHEMA(self.release_schema))
        self.array = copied(at(self.capsules[1], ArrowArray, b"arrow_array"), RELEASE_ARRAY(self.release_array))
        change(self.schema, self.array)

    def release_schema(self, schema):
        ctypes.memset(ctypes.addressof(schema.contents) + ArrowSchema.release.offset, 0, 8)

    def release_array(self, array):
        self.released.append(ctypes.addressof(array.contents))
        ctypes.memset(ctypes.addressof(array.contents) + ArrowArray.release.offset, 0, 8)

    def __arrow_c_array__(self, requested_schema=None):
        schema = new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None)
        return schema, new_capsule(ctypes.addressof(self.array), b"arrow_array", None)


class Given:
    """Gives an object in the place of a stream's capsule."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def count(table):
    return pelton.sql("SELECT count(*), min(x), max(x) FROM t", tables={"t": table}).fetchall()


class Lies(Case):
    def lies(self, batch, change, words=""):
        pair = Pair(batch, change)
        error = self.raises(pelton.DataError, words, count, pair)
        self.assertIn("contradicts itself", str(error))
        self.assertLessEqual(len(pair.released), 1)

    def test_one_that_tells_the_truth_is_released_once(self):
        batch = pa.record_batch({"x": pa.array([1, 2, 3])})
        pair = Pair(batch, lambda *_: None)
        self.assertEqual(count(pair), [(3, 1, 3)])
        self.assertEqual(len(pair.released), 1)
        self.raises(pelton.DataError, "released before", count, pair)

    def test_numbers_that_are_impossible(self):
        batch = pa.record_batch({"x": pa.array([1, 2, 3]), "s": pa.array(["a", "b", None])})

        def column(index, **values):
            def change(_, array):
                for name, value in values.items():
                    setattr(array.children[index].contents, name, value)

            return change

        def rows(**values):
            return lambda _, array: [setattr(array, name, value) for name, value in values.items()]

        for index in (0, 1):
            for values, words in (
                ({"length": -1}, "length -1"),
                ({"length": 2**62}, f"length {2**62}"),
                ({"offset": -1}, "offset -1"),
                ({"offset": 2**62}, f"offset {2**62}"),
                ({"null_count": 4}, "4 nulls among 3"),
                ({"null_count": -2}, "-2 nulls"),
                ({"n_buffers": 0}, "0 buffers"),
                ({"n_buffers": -1}, "-1 buffers"),
                ({"n_buffers": 2**40}, "buffers"),
                ({"buffers": None}, "no list of its buffers"),
                ({"n_children": 1}, "1 children"),
                ({"length": 2}, ""),
            ):
                with self.subTest(index=index, **values):
                    self.lies(batch, column(index, **values), words)
        for values, words in (({"n_children": 1}, "1 children"), ({"n_children": -1}, "-1"), ({"children": None}, "no list of its children")):
            with self.subTest(**values):
                self.lies(batch, rows(**values), words)
        self.lies(batch, rows(length=10))

    def test_nulls_without_a_mask(self):
        batch = pa.record_batch({"x": [1, 2, 3]})

        def change(_, array):
            array.children[0].contents.null_count = 1

        self.lies(batch, change, "no buffer that says which")

    def test_missing_buffers(self):
        batch = pa.record_batch({"x": ["a", "bc", "d"]})
        for index in (1, 2):

            def change(_, array):
                array.children[0].contents.buffers[index] = None

            self.lies(batch, change)

    def test_offsets_that_run_out_of_their_buffer(self):
        for of, width in ((pa.string(), ctypes.c_int32), (pa.large_string(), ctypes.c_int64), (pa.list_(pa.int8()), ctypes.c_int32)):
            values = [[1], [2, 3], [4]] if pa.types.is_list(of) else ["a", "bc", "d"]
            for index, offset in ((3, -1), (1, 100), (2, -5), (0, 3)):
                batch = pa.record_batch({"x": pa.array(values, of)})

                def change(_, array):
                    buffer = array.children[0].contents.buffers[1]
                    offsets = ctypes.cast(buffer, ctypes.POINTER(width))
                    offsets[index] = offset

                with self.subTest(of=of, index=index, offset=offset):
                    self.lies(batch, change)

    def test_text_that_is_no_text_and_keys_that_are_out_of_range(self):
        bad = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
        self.lies(pa.record_batch({"x": bad}), lambda *_: None)
        keys = pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int8()), pa.array(["a"]), safe=False)
        self.lies(pa.record_batch({"x": keys}), lambda *_: None)

    def test_views_into_nowhere(self):
        text = pa.array(["long enough for a buffer of its own"], pa.string_view())
        batch = pa.record_batch({"x": text})

        def lengths(_, array):
            buffers = array.children[0].contents
            ctypes.cast(buffers.buffers[buffers.n_buffers - 1], ctypes.POINTER(ctypes.c_int64))[0] = -1

        self.lies(batch, lengths, "buffer of -1 bytes")

        def view(_, array):
            ctypes.cast(array.children[0].contents.buffers[1], ctypes.POINTER(ctypes.c_int32))[3] = 1000

        self.lies(pa.record_batch({"x": pa.array(["long enough for another buffer of its own"], pa.string_view())}), view)

    def test_a_schema_for_other_data(self):
        batch = pa.record_batch({"x": pa.array([1, 2, 3])})
        for letters in (b"u", b"+l", b"+s", b"nonsense", b"w:-3", b"", b"\xff"):

            def change(schema, _):
                schema.children[0].contents.format = letters

            with self.subTest(letters):
                self.lies(batch, change)

        def none(schema, _):
            schema.children[0].contents.format = None

        self.lies(batch, none)

    def test_nulls_where_the_schema_has_none(self):
        batch = pa.record_batch([pa.array([1, None, 3])], pa.schema([pa.field("x", pa.int64())]))

        def change(schema, _):
            schema.children[0].contents.flags = 0

        self.lies(batch, change, "null")

    def test_a_structure_that_has_itself_as_its_child(self):
        def change(schema, _):
            child = schema.children[0].contents
            child.children[0] = schema.children[0]

        self.lies(pa.record_batch({"x": pa.array([{"y": 1}])}), change, "deep")


class Capsules(Case):
    def test_other_objects_and_other_names(self):
        stream = ROWS.__arrow_c_stream__()
        self.raises(TypeError, "int", count, Given(5))
        self.raises(TypeError, "NoneType", count, Given(None))
        schema, array = ROWS.to_batches()[0].__arrow_c_array__()
        self.raises(TypeError, "another name", count, Given(schema))
        cell = ctypes.create_string_buffer(64)
        self.raises(TypeError, "another name", count, Given(new_capsule(ctypes.addressof(cell), b"nonsense", None)))
        self.raises(TypeError, "another name", count, Given(new_capsule(ctypes.addressof(cell), None, None)))

        class Wrong:
            def __init__(self, given):
                self.given = given

            def __arrow_c_array__(self, requested_schema=None):
                return self.given

        for given in (5, (schema,), (array, schema), (schema, schema), [schema, array], (1, 2)):
            with self.subTest(given=given):
                self.raises(TypeError, "capsule", count, Wrong(given))
        self.assertEqual(count(Wrong((schema, array))), [(3, 1, 3)])
        # taken over once, and released by now
        self.raises(pelton.DataError, "released before", count, Wrong((schema, array)))
        self.assertEqual(count(Given(stream)), [(3, 1, 3)])
        self.raises(pelton.DataError, "read before", count, Given(stream))

    def test_an_empty_structure_is_a_stream_that_was_read(self):
        empty = ctypes.create_string_buffer(ctypes.sizeof(ArrowStream))
        self.raises(pelton.DataError, "read before", count, Given(new_capsule(ctypes.addressof(empty), b"arrow_array_stream", None)))


class Streams(Case):
    """Streams whose functions are Python's, by ctypes."""

    def stream(self, get_next, get_schema=None, get_error=None):
        released = []

        def schema(_, out):
            exported = ROWS.schema.__arrow_c_schema__()
            source = at(exported, ArrowSchema, b"arrow_schema")
            ctypes.memmove(out, ctypes.addressof(source), ctypes.sizeof(ArrowSchema))
            # moved: the capsule has nothing to release any more
            ctypes.memset(ctypes.addressof(source) + ArrowSchema.release.offset, 0, 8)
            return 0

        def release(stream):
            released.append(True)
            ctypes.memset(ctypes.addressof(stream.contents) + ArrowStream.release.offset, 0, 8)

        stream = ArrowStream(
            GET_SCHEMA(get_schema or schema),
            GET_NEXT(get_next),
            GET_ERROR(get_error or (lambda _: None)),
            RELEASE_STREAM(release),
            None,
        )
        self.alive = stream
        return Given(new_capsule(ctypes.addressof(stream), b"arrow_array_stream", None)), released

    def give(self, out, batch=None):
        batch = batch or ROWS.to_batches()[0]
        _, exported = batch.__arrow_c_array__()
        source = at(exported, ArrowArray, b"arrow_array")
        ctypes.memmove(out, ctypes.addressof(source), ctypes.sizeof(ArrowArray))
        ctypes.memset(ctypes.addressof(source) + ArrowArray.release.offset, 0, 8)

    def test_one_that_works_is_released_once(self):
        left = [1, 1]

        def get_next(_, out):
            if left:
                left.pop()
                self.give(out)
            return 0

        stream, released = self.stream(get_next)
        self.assertEqual(count(stream), [(6, 1, 3)])
        self.assertEqual(released, [True])

    def test_failures_have_the_producers_words(self):
        words = ctypes.create_string_buffer(b"no luck today")
        stream, released = self.stream(lambda *_: 5, get_error=lambda _: ctypes.addressof(words))
        self.raises(pelton.Error, "t: no luck today", count, stream)
        self.assertEqual(released, [True])
        stream, _ = self.stream(lambda *_: 22)
        self.raises(pelton.Error, "code 22", count, stream)
        stream, released = self.stream(lambda *_: 0, get_schema=lambda *_: 5)
        self.raises(pelton.DataError, "no columns", count, stream)
        self.assertEqual(released, [True])
        stream, _ = self.stream(lambda *_: 0, get_schema=lambda *_: 0)
        self.raises(pelton.DataError, "schema is none", count, stream)

    def test_batches_of_other_columns(self):
        other = pa.record_batch({"x": ["a"], "y": ["b"]})

        def get_next(_, out):
            self.give(out, other)
            return 0

        stream, released = self.stream(get_next)
        self.raises(pelton.DataError, "children", count, stream)
        self.assertEqual(released, [True])


class Raising(Case):
    def test_exceptions_come_through(self):
        class Mine(Exception):
            pass

        def batches():
            yield ROWS.to_batches()[0]
            raise Mine("here")

        class Stream:
            def __arrow_c_stream__(self, requested_schema=None):
                raise Mine("here")

        class Path:
            def __fspath__(self):
                raise Mine("here")

        class Lazy:
            @property
            def __arrow_c_stream__(self):
                raise Mine("here")

        reader = pa.RecordBatchReader.from_batches(ROWS.schema, batches())
        for given in (batches(), reader, Stream(), Path(), Lazy()):
            with self.subTest(given=given):
                self.raises(Mine, "here", count, given)
        with pelton.connect(threads=1) as connection:
            self.raises(Mine, "here", connection.register, "t", batches())
        self.raises(Mine, "here", pelton.write_parquet, batches(), self.path("t.parquet"))
