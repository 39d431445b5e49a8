// `COPY … TO (FORMAT pelton)` by DuckDB's C++ interface.

#pragma once

#include "engine.h"
#include "version.h"

namespace pelton {

// Returns the COPY function; `engine` does its work.
CopyFunction MakeCopyFunction(const PeltonCopyEngine &engine);

} // namespace pelton
