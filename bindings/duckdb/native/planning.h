// Facts on the files of a scan while a query is planned: rows, statistics, and row groups as
// partitions, which let DuckDB answer aggregates without a scan.

#pragma once

#include "reader.h"

namespace pelton {

// Files of a list that are opened while a query is planned, by one thread. The files of longer
// lists are opened when the query runs, by all threads.
static constexpr idx_t PLANNED_FILES = 64;

// Open files of a scan, by their names.
class PlannedFiles {
public:
	// Returns the readers of all files, in order; empty if they are too many, are not local, or one
	// can't be opened: the scan says why.
	vector<shared_ptr<Reader>> Open(ClientContext &context, const MultiFileBindData &bind_data,
	                                const ReaderOptions &options) {
		vector<shared_ptr<Reader>> result;
		if (!bind_data.initial_reader || !bind_data.initial_reader->Cast<Reader>().IsLocal()) {
			return result;
		}
		auto files = bind_data.file_list->GetAllFiles();
		if (files.size() > PLANNED_FILES) {
			return result;
		}
		lock_guard<mutex> guard(lock);
		for (auto &file : files) {
			auto &reader = readers[file.path];
			try {
				reader = reader ? reader : make_shared_ptr<Reader>(context, file, options);
			} catch (std::exception &) {
				return {};
			}
			result.push_back(reader);
		}
		return result;
	}

private:
	mutex lock;
	unordered_map<string, shared_ptr<Reader>> readers;
};

// Statistics of one file's row groups, read when a column is asked for.
class FileStatistics {
public:
	// `columns` has the column of the file for each of the scan's, invalid if there is none.
	FileStatistics(shared_ptr<Reader> reader, vector<optional_idx> columns)
	    : reader(std::move(reader)), columns(std::move(columns)) {
	}

	// Returns the statistics of a column of the scan in a row group; null if there are none.
	optional_ptr<GroupStatistics> Find(const StorageIndex &index, idx_t group) {
		auto column = index.GetPrimaryIndex();
		if (index.HasChildren() || column >= columns.size() || !columns[column].IsValid()) {
			return nullptr;
		}
		lock_guard<mutex> guard(lock);
		auto found = known.find(column);
		if (found == known.end()) {
			found = known.emplace(column, reader->StatisticsByGroup(columns[column].GetIndex())).first;
		}
		return group < found->second.size() ? &found->second[group] : nullptr;
	}

private:
	const shared_ptr<Reader> reader;
	const vector<optional_idx> columns;
	mutex lock;
	unordered_map<idx_t, vector<GroupStatistics>> known;
};

// A row group of a file.
class RowGroupOfFile : public StatedRowGroup {
public:
	RowGroupOfFile(shared_ptr<FileStatistics> file, idx_t group) : file(std::move(file)), group(group) {
	}

	unique_ptr<BaseStatistics> GetColumnStatistics(const StorageIndex &column) override {
		auto found = file->Find(column, group);
		return found ? found->statistics.ToUnique() : nullptr;
	}

	bool HasExactBounds(const StorageIndex &column) override {
		auto found = file->Find(column, group);
		return found && found->has_exact_bounds;
	}

private:
	const shared_ptr<FileStatistics> file;
	const idx_t group;
};

// Returns the column of the file for each of the scan's that comes from it without a conversion.
inline vector<optional_idx> ColumnsOf(const Reader &reader, const MultiFileBindData &bind_data) {
	auto &bound = bind_data.reader_bind;
	vector<optional_idx> result;
	for (idx_t column = 0; column < bind_data.names.size(); column++) {
		auto is_generated = bound.filename_idx.IsValid() && bound.filename_idx.GetIndex() == column;
		for (auto &hive : bound.hive_partitioning_indexes) {
			is_generated = is_generated || hive.index == column;
		}
		auto is_own = !is_generated && !HasOwnSchema(bind_data.file_options);
		auto found = !is_own ? optional_idx() : reader.Find(bind_data.names[column]);
		if (found.IsValid() && reader.GetColumns()[found.GetIndex()].type != bind_data.types[column]) {
			found = optional_idx();
		}
		result.push_back(found);
	}
	return result;
}

// Returns the statistics of a column of the scan in several files; null if one of them has none.
inline unique_ptr<BaseStatistics> Merged(ClientContext &context, const vector<shared_ptr<Reader>> &files,
                                         const MultiFileBindData &bind_data, idx_t column) {
	unique_ptr<BaseStatistics> result;
	for (auto &file : files) {
		auto columns = ColumnsOf(*file, bind_data);
		auto own = columns[column].IsValid() ? file->GetStatistics(context, bind_data.names[column]) : nullptr;
		if (!own) {
			return nullptr;
		}
		if (result) {
			result->Merge(*own);
		} else {
			result = std::move(own);
		}
	}
	return result;
}

// Adds the row groups of a file behind those of the files before it.
inline void AddPartitions(shared_ptr<Reader> reader, const MultiFileBindData &bind_data,
                          vector<PartitionStatistics> &partitions) {
	idx_t start = 0;
	if (!partitions.empty()) {
		start = partitions.back().row_start.GetIndex() + partitions.back().count;
	}
	auto rows = reader->RowsByGroup();
	auto columns = ColumnsOf(*reader, bind_data);
	auto file = make_shared_ptr<FileStatistics>(std::move(reader), std::move(columns));
	for (idx_t group = 0; group < rows.size(); group++) {
		PartitionStatistics partition;
		partition.row_start = start;
		partition.count = rows[group];
		partition.count_type = CountType::COUNT_EXACT;
		partition.partition_row_group = make_shared_ptr<RowGroupOfFile>(file, group);
		partitions.push_back(std::move(partition));
		start += rows[group];
	}
}

} // namespace pelton
