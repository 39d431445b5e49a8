// Errors between the engine and DuckDB, and settings of a connection.

#pragma once

#include "version.h"

#include <cstring>

namespace pelton {

// An error of the engine's as an exception.
template <class EXCEPTION = InvalidInputException>
[[noreturn]] void RaiseError(char *error, void (*free_error)(char *)) {
	string text = error ? error : "internal error of Pelton's: a failure without a reason";
	if (error) {
		free_error(error);
	}
	throw EXCEPTION("%s", text);
}

// Runs work. An exception becomes `*error`, and the result is `failed` then.
template <class T, class WORK>
T Guarded(T failed, char **error, WORK work) {
	string text;
	try {
		return work();
	} catch (std::exception &raised) {
		text = ErrorData(raised).RawMessage();
	} catch (...) {
		text = "an exception of an unknown type";
	}
	*error = strdup(text.c_str());
	return failed;
}

// Value of a setting, owned by the caller; null if there is none.
inline void *SettingOf(void *connection, const char *name) {
	try {
		Value value;
		auto &context = *static_cast<ClientContext *>(connection);
		if (!context.TryGetCurrentSetting(name, value)) {
			return nullptr;
		}
		return new Value(std::move(value));
	} catch (...) {
		return nullptr;
	}
}

} // namespace pelton
