#pragma once

#include <stdint.h>

// Whose code the thread runs. Swift's library has no function for that which neither suspends nor traps, but its runtime has:
// compiled code asks it when an asynchronous function returns to its actor.

struct swift_executor {
  uintptr_t identity;
  uintptr_t implementation;
};

#if __has_attribute(swiftcall)
__attribute__((swiftcall)) struct swift_executor swift_task_getCurrentExecutor(void);
#else
struct swift_executor swift_task_getCurrentExecutor(void);
#endif

// The object that identifies the executor of the present task; 0 outside of tasks, and in those of no actor.
static inline uintptr_t current_executor(void) { return swift_task_getCurrentExecutor().identity; }

// Whether this is the thread on which the program began. It runs nothing but code of the main actor.
#if defined(__APPLE__)

#include <pthread.h>
static inline int is_main_thread(void) { return pthread_main_np() != 0; }

#else

#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...);
static inline int is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

#endif
