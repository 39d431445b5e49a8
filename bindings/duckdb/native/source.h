// Files of DuckDB's file systems, for the engine to read.

#pragma once

#include "engine.h"
#include "errors.h"
#include "version.h"

namespace pelton {

// A file of one of DuckDB's file systems that is not the local one.
struct HostFile {
	explicit HostFile(unique_ptr<FileHandle> handle) : handle(std::move(handle)) {
	}

	unique_ptr<FileHandle> handle;
	// File systems of users need not be made for several threads.
	mutex lock;

	static int32_t Read(void *self, void *to, uint64_t length, uint64_t offset, char **error) {
		return Guarded<int32_t>(-1, error, [&]() -> int32_t {
			auto &file = *static_cast<HostFile *>(self);
			lock_guard<mutex> guard(file.lock);
			file.handle->Read(to, length, offset);
			return 0;
		});
	}

	static void Close(void *self) {
		delete static_cast<HostFile *>(self);
	}
};

// Opens a file as DuckDB does, which decides whether it may be read. Returns whether the engine
// reads it by its name.
inline bool OpenSource(ClientContext &context, const OpenFileInfo &info, PeltonSource &source) {
	auto handle = FileSystem::GetFileSystem(context).OpenFile(info, FileFlags::FILE_FLAGS_READ);
	auto &system = handle->file_system;
	if (system.GetName() == "LocalFileSystem" && !StringUtil::StartsWith(info.path, "file:")) {
		return true;
	}
	source.size = handle->GetFileSize();
	source.modified = Timestamp::GetEpochSeconds(system.GetLastModifiedTime(*handle));
	source.handle = new HostFile(std::move(handle));
	source.read = HostFile::Read;
	source.free_error = [](char *error) { free(error); };
	source.close = HostFile::Close;
	return false;
}

} // namespace pelton
