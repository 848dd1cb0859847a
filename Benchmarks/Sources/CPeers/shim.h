#pragma once
#include <stdint.h>
#include <zstd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
// The processor's constant-rate counter: a third of the cost of a call of clock_gettime.
static inline uint64_t cpu_ticks(void) { return __rdtsc(); }
#elif defined(__aarch64__)
static inline uint64_t cpu_ticks(void) {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
#endif

// Bytes that are allocated and not freed.
#if defined(__APPLE__)
#include <malloc/malloc.h>
static inline int64_t allocated_bytes(void) { return (int64_t)mstats().bytes_used; }
#elif defined(__GLIBC__)
#include <malloc.h>
static inline int64_t allocated_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}
#else
static inline int64_t allocated_bytes(void) { return 0; }
#endif
