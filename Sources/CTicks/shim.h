#pragma once

#include <stdint.h>

// Reads the processor's time counter, and finds out whether its rate is constant whatever the clock
// frequency. Swift has neither the instructions nor inline assembly.

#if defined(__APPLE__)

#include <mach/mach_time.h>

// The system knows how to read the counter of this device, and does so without a system call.
static inline int ticks_are_steady(void) { return 1; }
static inline uint64_t ticks_now(void) { return mach_absolute_time(); }

#elif defined(__x86_64__)

static inline void ticks_cpuid(uint32_t leaf, uint32_t *eax, uint32_t *edx) {
  uint32_t ebx, ecx = 0;
  __asm__ volatile("cpuid" : "=a"(*eax), "=b"(ebx), "+c"(ecx), "=d"(*edx) : "a"(leaf));
}

// The processor reports an invariant counter in bit 8 of EDX.
static inline int ticks_are_steady(void) {
  uint32_t eax, edx;
  ticks_cpuid(0x80000000u, &eax, &edx);
  if (eax < 0x80000007u) return 0;
  ticks_cpuid(0x80000007u, &eax, &edx);
  return (edx >> 8) & 1;
}
static inline uint64_t ticks_now(void) { return __builtin_ia32_rdtsc(); }

#elif defined(__aarch64__)

static inline int ticks_are_steady(void) { return 1; }
static inline uint64_t ticks_now(void) {
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

#else

static inline int ticks_are_steady(void) { return 0; }
static inline uint64_t ticks_now(void) { return 0; }

#endif
