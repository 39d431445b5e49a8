// The interface between the native layer and Pelton's engine, in C.
//
// `src/sys/native/engine.rs` declares the same structures; both sides state the interface's number
// and compare it. Every handle of DuckDB's has the type that its C interface gives it. A function
// that can fail returns a negative number or null and sets `*error`, which `free_error` frees.
// No exception and no panic crosses this interface.

#pragma once

#include <cstdint>

extern "C" {

#define PELTON_NATIVE_INTERFACE 3

// Conditions of a scan, which DuckDB evaluates. They are used by one thread at a time.
struct PeltonConditions {
	void *context;
	// Evaluates a condition on the first `rows` values of a flat vector. Returns the number of the
	// passing rows and writes them to `passing`, ascending, unless all pass.
	int64_t (*evaluate)(void *context, uint64_t condition, void *vector, uint64_t rows, uint32_t *passing, char **error);
	// Decides for `count` pairs of bounds, the values of two flat vectors, whether a value between
	// them may pass; 1 or 0 in `may`. A null bound is unknown.
	int32_t (*may_hold)(void *context, uint64_t condition, void *mins, void *maxes, uint64_t count, uint8_t *may,
	                    char **error);
	void (*free_error)(char *error);
};

// Treatment of a condition by a scan.
enum PeltonDuty : uint8_t {
	// Rows that fail must not come out.
	PELTON_MUST_HOLD = 0,
	// Rows that fail may come out: it is evaluated as long as it leaves out enough of them.
	PELTON_MAY_HOLD = 1,
	// Only bounds of rows are compared with it; no row fails in an evaluation.
	PELTON_BOUNDS_ONLY = 2,
};

// A condition and the column of the file that it is on; a negative one is the row number.
struct PeltonCondition {
	int64_t column;
	uint64_t condition;
	PeltonDuty duty;
};


// Null counts of a row group.
enum PeltonNulls : uint8_t {
	PELTON_NULLS_UNKNOWN = 0,
	PELTON_NULLS_NONE = 1,
	PELTON_NULLS_ALL = 2,
};

// Facts on a column in a row group.
struct PeltonFacts {
	PeltonNulls nulls;
	// 1 if both bounds are values of the row group, not only limits.
	uint8_t has_exact_bounds;
};

// A column of a file; `type` is borrowed.
typedef void (*PeltonAddColumn)(void *to, const char *name, uint64_t length, void *type);
// Returns the value of a setting, which the caller owns; null if there is none.
typedef void *(*PeltonSetting)(void *connection, const char *name);

// A file that DuckDB reads for the engine. `close` is called once, when it is not used any more.
struct PeltonSource {
	void *handle;
	uint64_t size;
	// Time of the last change in seconds since 1970.
	int64_t modified;
	// Reads bytes at an offset; -1 on failure. Threads may call it at the same time.
	int32_t (*read)(void *handle, void *to, uint64_t length, uint64_t offset, char **error);
	void (*free_error)(char *error);
	void (*close)(void *handle);
};

// Functions of Pelton's engine.
struct PeltonEngine {
	uint64_t interface;
	void (*free_error)(char *error);
	// Opens a file, which is local if `source` is null. `device`, a text, and `ranges`, a value, are
	// null without the argument of that name. Takes the source in any case.
	void *(*open)(void *connection, PeltonSetting setting, const char *path, uint64_t length,
	              const PeltonSource *source, const char *device, void *ranges, char **error);
	void (*close)(void *file);
	int32_t (*columns)(void *file, void *to, PeltonAddColumn add, char **error);
	uint64_t (*rows)(void *file);
	uint64_t (*row_groups)(void *file);
	// Writes the number of rows of every row group.
	void (*group_rows)(void *file, uint64_t *rows);
	// Number of threads that have enough memory for their scan ranges.
	uint64_t (*threads)(void *file);
	// Bounds of the row groups from `from` on: writes up to a chunk's rows of them into the two
	// columns of a chunk. A null bound is unknown. Returns 0 if the column has no statistics.
	int32_t (*statistics)(void *file, uint64_t column, uint64_t from, void *bounds, PeltonFacts *facts,
	                      uint64_t *count, char **error);
	// Starts a scan of a file. A column is an index of the file, or negative for the row number, a
	// BIGINT from 0 on.
	void *(*start)(void *file, const int64_t *columns, uint64_t count, const PeltonCondition *conditions,
	               uint64_t condition_count, const PeltonConditions *evaluator, char **error);
	void (*stop)(void *scan);
	double (*progress)(void *scan);
	// State of one thread.
	void *(*stream)();
	void (*end)(void *stream);
	// Assigns the next scan ranges to a stream; 0 if there are none.
	int32_t (*claim)(void *scan, void *stream, const PeltonConditions *evaluator, char **error);
	// Fills a chunk with the next rows of what was claimed. Returns their number; 0 at the end.
	int64_t (*fill)(void *scan, void *stream, void *chunk, char **error);
};

// A column of a statement; `type` is borrowed.
struct PeltonCopyColumn {
	const char *name;
	uint64_t length;
	void *type;
};

// An option of a statement; the engine takes `value`.
struct PeltonCopyOption {
	const char *name;
	uint64_t length;
	void *value;
};

// Functions of Pelton's engine for COPY.
struct PeltonCopyEngine {
	void (*free_error)(char *error);
	void *(*bind)(void *connection, PeltonSetting setting, const PeltonCopyColumn *columns, uint64_t column_count,
	              const PeltonCopyOption *options, uint64_t option_count, char **error);
	void (*unbind)(void *bound);
	void *(*open)(void *bound, const char *path, uint64_t length, char **error);
	// Frees a file; one that was not finished leaves nothing behind.
	void (*abandon)(void *file);
	// State of one thread, or of one batch.
	void *(*gathering)(void *bound, char **error);
	void (*drop)(void *gathered);
	// Converts the rows of a chunk of flat vectors.
	int32_t (*gather)(void *bound, void *file, void *gathered, void *chunk, char **error);
	// Writes converted rows; if they `are_all`, an incomplete batch too.
	int32_t (*write)(void *file, void *gathered, int32_t are_all, char **error);
	int32_t (*finish)(void *file, char **error);
};

} // extern "C"
