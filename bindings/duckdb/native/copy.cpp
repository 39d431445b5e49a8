// `COPY … TO (FORMAT pelton)` by DuckDB's C++ interface: names of columns, options, rows by several
// threads in their order.

#include "copy.h"
#include "errors.h"

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/copy_function.hpp"
#include "duckdb/parser/parsed_data/copy_info.hpp"

#include <algorithm>

namespace pelton {

// The engine's functions, set once when the layer is registered.
static const PeltonCopyEngine *engine;

// Rows of a batch, which one thread converts at a time.
static constexpr idx_t BATCH_ROWS = 8 * STANDARD_VECTOR_SIZE;

// An error of the engine's as an exception.
[[noreturn]] static void Raise(char *error) {
	RaiseError(error, engine->free_error);
}

// A bound statement.
struct CopyBindData : public FunctionData {
	// Shared by copies; the engine's part does not change.
	shared_ptr<void> bound;

	unique_ptr<FunctionData> Copy() const override {
		auto result = make_uniq<CopyBindData>();
		result->bound = bound;
		return std::move(result);
	}

	bool Equals(const FunctionData &other) const override {
		return bound.get() == other.Cast<CopyBindData>().bound.get();
	}
};

// Rows that were converted.
struct Gathered {
	explicit Gathered(CopyBindData &bind_data) {
		char *error = nullptr;
		handle = engine->gathering(bind_data.bound.get(), &error);
		if (!handle) {
			Raise(error);
		}
	}
	~Gathered() {
		engine->drop(handle);
	}
	Gathered(const Gathered &) = delete;

	void *handle;
};

// A file in progress.
struct CopyFile : public GlobalFunctionData {
	explicit CopyFile(void *handle) : handle(handle) {
	}
	~CopyFile() override {
		engine->abandon(handle);
	}

	void *handle;

	void Gather(CopyBindData &bind_data, Gathered &gathered, DataChunk &rows) {
		char *error = nullptr;
		if (engine->gather(bind_data.bound.get(), handle, gathered.handle, &rows, &error) < 0) {
			Raise(error);
		}
	}

	void Write(Gathered &gathered, bool are_all) {
		char *error = nullptr;
		if (engine->write(handle, gathered.handle, are_all, &error) < 0) {
			Raise(error);
		}
	}
};

struct LocalRows : public LocalFunctionData {
	explicit LocalRows(CopyBindData &bind_data) : gathered(bind_data) {
	}

	Gathered gathered;
};

struct Batch : public PreparedBatchData {
	explicit Batch(CopyBindData &bind_data) : gathered(bind_data) {
	}

	Gathered gathered;
};

// The value of an option: true without one, a list of several.
static Value ValueOf(const vector<Value> &given) {
	if (given.empty()) {
		return Value::BOOLEAN(true);
	}
	if (given.size() == 1) {
		return given[0];
	}
	auto type = given[0].type();
	if (std::all_of(given.begin(), given.end(), [&](const Value &value) { return value.type() == type; })) {
		return Value::LIST(type, given);
	}
	child_list_t<Value> fields;
	for (idx_t index = 0; index < given.size(); index++) {
		fields.emplace_back(std::to_string(index), given[index]);
	}
	return Value::STRUCT(std::move(fields));
}

static unique_ptr<FunctionData> Bind(ClientContext &context, CopyFunctionBindInput &input, const vector<Name> &names,
                                     const vector<LogicalType> &types) {
	vector<PeltonCopyColumn> columns;
	vector<string> texts;
	for (auto &name : names) {
		texts.push_back(TextOf(name));
	}
	for (idx_t index = 0; index < names.size(); index++) {
		columns.push_back({texts[index].data(), texts[index].size(), const_cast<LogicalType *>(&types[index])});
	}
	vector<string> option_names;
	vector<Value> values;
	for (auto &option : input.info.options) {
		option_names.push_back(TextOf(option.first));
		values.push_back(ValueOf(option.second));
	}
	vector<PeltonCopyOption> options;
	for (idx_t index = 0; index < values.size(); index++) {
		options.push_back({option_names[index].data(), option_names[index].size(), new Value(values[index])});
	}
	char *error = nullptr;
	auto bound = engine->bind(&context, SettingOf, columns.data(), columns.size(), options.data(), options.size(),
	                          &error);
	if (!bound) {
		RaiseError<BinderException>(error, engine->free_error);
	}
	auto result = make_uniq<CopyBindData>();
	result->bound = shared_ptr<void>(bound, engine->unbind);
	return std::move(result);
}

static unique_ptr<GlobalFunctionData> Open(ClientContext &, FunctionData &bind_data, const string &path) {
	char *error = nullptr;
	auto file = engine->open(bind_data.Cast<CopyBindData>().bound.get(), path.data(), path.size(), &error);
	if (!file) {
		Raise(error);
	}
	return make_uniq<CopyFile>(file);
}

static unique_ptr<LocalFunctionData> OpenLocal(ExecutionContext &, FunctionData &bind_data) {
	return make_uniq<LocalRows>(bind_data.Cast<CopyBindData>());
}

static void Sink(ExecutionContext &, FunctionData &bind_data, GlobalFunctionData &file_state,
                 LocalFunctionData &local_state, DataChunk &input) {
	auto &file = file_state.Cast<CopyFile>();
	auto &gathered = local_state.Cast<LocalRows>().gathered;
	DataChunk flat;
	flat.InitializeEmpty(input.GetTypes());
	flat.Reference(input);
	flat.Flatten();
	file.Gather(bind_data.Cast<CopyBindData>(), gathered, flat);
	file.Write(gathered, false);
}

static void Combine(ExecutionContext &, FunctionData &, GlobalFunctionData &file_state,
                    LocalFunctionData &local_state) {
	file_state.Cast<CopyFile>().Write(local_state.Cast<LocalRows>().gathered, true);
}

static unique_ptr<PreparedBatchData> Prepare(ClientContext &, FunctionData &bind_data, GlobalFunctionData &file_state,
                                             unique_ptr<ColumnDataCollection> rows) {
	auto &bound = bind_data.Cast<CopyBindData>();
	auto &file = file_state.Cast<CopyFile>();
	auto result = make_uniq<Batch>(bound);
	DataChunk chunk;
	rows->InitializeScanChunk(chunk);
	ColumnDataScanState scan;
	rows->InitializeScan(scan);
	while (rows->Scan(scan, chunk)) {
		chunk.Flatten();
		file.Gather(bound, result->gathered, chunk);
	}
	return std::move(result);
}

static void Flush(ClientContext &, FunctionData &, GlobalFunctionData &file_state, PreparedBatchData &batch) {
	file_state.Cast<CopyFile>().Write(batch.Cast<Batch>().gathered, true);
}

static void Finish(ClientContext &, FunctionData &, GlobalFunctionData &file_state) {
	char *error = nullptr;
	if (engine->finish(file_state.Cast<CopyFile>().handle, &error) < 0) {
		Raise(error);
	}
}

static CopyFunctionExecutionMode Mode(bool is_ordered, bool has_batches) {
	if (!is_ordered) {
		return CopyFunctionExecutionMode::PARALLEL_COPY_TO_FILE;
	}
	return has_batches ? CopyFunctionExecutionMode::BATCH_COPY_TO_FILE
	                   : CopyFunctionExecutionMode::REGULAR_COPY_TO_FILE;
}

static BatchSize DesiredBatchSize(ClientContext &, FunctionData &) {
	return BATCH_ROWS;
}

CopyFunction MakeCopyFunction(const PeltonCopyEngine &functions) {
	engine = &functions;
	CopyFunction function("pelton");
	function.copy_to_bind = Bind;
	function.copy_to_initialize_global = Open;
	function.copy_to_initialize_local = OpenLocal;
	function.copy_to_sink = Sink;
	function.copy_to_combine = Combine;
	function.copy_to_finalize = Finish;
	function.prepare_batch = Prepare;
	function.flush_batch = Flush;
	function.execution_mode = Mode;
	function.desired_batch_size = DesiredBatchSize;
	function.extension = "parquet";
	return function;
}

} // namespace pelton
