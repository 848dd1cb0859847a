#pragma once

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

// Begins to count, from zero.
static inline void callgrind_begin(void) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

// Leaves the calling thread out, or takes it in again. Other threads are always counted.
static inline void callgrind_toggle_caller(void) { CALLGRIND_TOGGLE_COLLECT; }

// Writes what was counted under a name, and counts no more.
static inline void callgrind_end(const char *name) {
  CALLGRIND_DUMP_STATS_AT(name);
  CALLGRIND_STOP_INSTRUMENTATION;
}
#else
static inline void callgrind_begin(void) {}
static inline void callgrind_toggle_caller(void) {}
static inline void callgrind_end(const char *name) {}
#endif
