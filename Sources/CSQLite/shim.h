#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast, which Swift does not import: SQLite copies the bytes. No bytes are the empty text, and not NULL.
static inline int sqlite_bind_text(sqlite3_stmt *statement, int position, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, position, bytes ? bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
