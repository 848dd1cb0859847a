#pragma once
// What the sources use of the C library of Apple's systems, as its public headers and manual pages declare it. In C, and not in
// Swift, so that it is imported as those headers are: what may be nil, what may be discarded, how wide a number is. Every
// declaration has a C name of its own, since Glibc has the real one, and Swift sees the real one.

#include <stddef.h>
#include <stdint.h>

#define APPLE(name) __attribute__((swift_name(name)))

// <sys/types.h>

typedef uint16_t apple_mode_t APPLE("mode_t");
typedef int32_t apple_dev_t APPLE("dev_t");
typedef int64_t apple_off_t APPLE("off_t");
typedef int32_t apple_pid_t APPLE("pid_t");
typedef uint32_t apple_useconds_t APPLE("useconds_t");

// <time.h>

struct APPLE("timespec") apple_timespec {
  long tv_sec;
  long tv_nsec;
};
typedef enum {
  apple_clock_realtime APPLE("CLOCK_REALTIME") = 0,
  apple_clock_monotonic APPLE("CLOCK_MONOTONIC") = 6,
} apple_clockid_t APPLE("clockid_t");
int apple_clock_gettime(apple_clockid_t, struct apple_timespec *) APPLE("clock_gettime(_:_:)");
int apple_nanosleep(const struct apple_timespec *, struct apple_timespec *) APPLE("nanosleep(_:_:)");

// <sys/stat.h>, with inodes of 64 bits.

struct APPLE("stat") apple_stat {
  apple_dev_t st_dev;
  apple_mode_t st_mode;
  uint16_t st_nlink;
  uint64_t st_ino;
  uint32_t st_uid;
  uint32_t st_gid;
  apple_dev_t st_rdev;
  struct apple_timespec st_atimespec;
  struct apple_timespec st_mtimespec;
  struct apple_timespec st_ctimespec;
  struct apple_timespec st_birthtimespec;
  apple_off_t st_size;
  int64_t st_blocks;
  int32_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int apple_stat(const char *, struct apple_stat *) APPLE("stat(_:_:)");
int apple_lstat(const char *, struct apple_stat *) APPLE("lstat(_:_:)");
int apple_fstat(int, struct apple_stat *) APPLE("fstat(_:_:)");

// <dirent.h>

typedef struct {
  int __dd_fd;
} apple_DIR APPLE("DIR");
struct APPLE("dirent") apple_dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
apple_DIR *apple_opendir(const char *) APPLE("opendir(_:)");
struct apple_dirent *apple_readdir(apple_DIR *) APPLE("readdir(_:)");
int apple_closedir(apple_DIR *) APPLE("closedir(_:)");

// <unistd.h>, <stdio.h>, <stdlib.h>, <string.h>, <sys/file.h>, <sys/stat.h>, <dlfcn.h>

int apple_access(const char *, int) APPLE("access(_:_:)");
int apple_flock(int, int) APPLE("flock(_:_:)");
int apple_fsync(int) APPLE("fsync(_:)");
int apple_ftruncate(int, apple_off_t) APPLE("ftruncate(_:_:)");
apple_pid_t apple_getpid(void) APPLE("getpid()");
int apple_isatty(int) APPLE("isatty(_:)");
apple_off_t apple_lseek(int, apple_off_t, int) APPLE("lseek(_:_:_:)");
int apple_link(const char *, const char *) APPLE("link(_:_:)");
int apple_mkdir(const char *, apple_mode_t) APPLE("mkdir(_:_:)");
long apple_read(int, void *, size_t) APPLE("read(_:_:_:)");
long apple_readlink(const char *, char *, size_t) APPLE("readlink(_:_:_:)");
int apple_rename(const char *, const char *) APPLE("rename(_:_:)");
int apple_renamex_np(const char *, const char *, unsigned int) APPLE("renamex_np(_:_:_:)");
int apple_rmdir(const char *) APPLE("rmdir(_:)");
int apple_unlink(const char *) APPLE("unlink(_:)");
int apple_usleep(apple_useconds_t) APPLE("usleep(_:)");
long apple_write(int, const void *, size_t) APPLE("write(_:_:_:)");

int apple_atexit(void (*_Nonnull)(void)) APPLE("atexit(_:)");
void apple_exit(int) APPLE("exit(_:)") __attribute__((noreturn));
void apple_free(void *) APPLE("free(_:)");
char *apple_getenv(const char *) APPLE("getenv(_:)");
char *apple_realpath(const char *, char *) APPLE("realpath(_:_:)");
void *apple_memchr(const void *, int, size_t) APPLE("memchr(_:_:_:)");
int apple_memcmp(const void *, const void *, size_t) APPLE("memcmp(_:_:_:)");
char *apple_strdup(const char *) APPLE("strdup(_:)");
char *apple_strerror(int) APPLE("strerror(_:)");
void *apple_dlsym(void *, const char *) APPLE("dlsym(_:_:)");

// <glob.h>

typedef struct {
  size_t gl_pathc;
  int gl_matchc;
  size_t gl_offs;
  int gl_flags;
  char **gl_pathv;
  void *gl_reserved[6];
} apple_glob_t APPLE("glob_t");
int apple_glob(const char *, int, int (*)(const char *, int), apple_glob_t *) APPLE("glob(_:_:_:_:)");
void apple_globfree(apple_glob_t *) APPLE("globfree(_:)");

// <signal.h>

typedef uint32_t apple_sigset_t APPLE("sigset_t");
typedef void (*apple_sig_t)(int) APPLE("sig_t");
struct apple_siginfo;
union APPLE("__sigaction_u") apple_sigaction_u {
  void (*__sa_handler)(int);
  void (*__sa_sigaction)(int, struct apple_siginfo *, void *);
};
struct APPLE("sigaction") apple_sigaction {
  union apple_sigaction_u __sigaction_u;
  apple_sigset_t sa_mask;
  int sa_flags;
};
int apple_raise(int) APPLE("raise(_:)");
int apple_sigaction(int, const struct apple_sigaction *, struct apple_sigaction *) APPLE("sigaction(_:_:_:)");
int apple_sigaddset(apple_sigset_t *, int) APPLE("sigaddset(_:_:)");
int apple_sigemptyset(apple_sigset_t *) APPLE("sigemptyset(_:)");
void (*apple_signal(int, void (*)(int)))(int) APPLE("signal(_:_:)");

// <sys/ttycom.h>

struct APPLE("winsize") apple_winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};

// <pthread.h>, which says what may be nil. Of pthread_create it has two versions; this is the one that Swift is given, whose
// argument is never nil.

#pragma clang assume_nonnull begin

typedef struct {
  long __sig;
  char __opaque[40];
} apple_pthread_cond_t APPLE("pthread_cond_t");
typedef struct {
  long __sig;
  char __opaque[8];
} apple_pthread_condattr_t APPLE("pthread_condattr_t");
typedef struct {
  long __sig;
  char __opaque[56];
} apple_pthread_mutex_t APPLE("pthread_mutex_t");
typedef struct {
  long __sig;
  char __opaque[8];
} apple_pthread_mutexattr_t APPLE("pthread_mutexattr_t");
typedef struct {
  long __sig;
  char __opaque[56];
} apple_pthread_attr_t APPLE("pthread_attr_t");
struct APPLE("_opaque_pthread_t") apple_opaque_pthread_t {
  long __sig;
  char __opaque[8176];
};
typedef struct apple_opaque_pthread_t *apple_pthread_t APPLE("pthread_t");
typedef unsigned long apple_pthread_key_t APPLE("pthread_key_t");

int apple_cond_init(apple_pthread_cond_t *, const apple_pthread_condattr_t *_Nullable)
  APPLE("pthread_cond_init(_:_:)");
int apple_cond_destroy(apple_pthread_cond_t *) APPLE("pthread_cond_destroy(_:)");
int apple_cond_broadcast(apple_pthread_cond_t *) APPLE("pthread_cond_broadcast(_:)");
int apple_cond_wait(apple_pthread_cond_t *, apple_pthread_mutex_t *) APPLE("pthread_cond_wait(_:_:)");
int apple_cond_timedwait_relative_np(
  apple_pthread_cond_t *, apple_pthread_mutex_t *, const struct apple_timespec *_Nullable)
  APPLE("pthread_cond_timedwait_relative_np(_:_:_:)");
int apple_mutex_init(apple_pthread_mutex_t *, const apple_pthread_mutexattr_t *_Nullable)
  APPLE("pthread_mutex_init(_:_:)");
int apple_mutex_destroy(apple_pthread_mutex_t *) APPLE("pthread_mutex_destroy(_:)");
int apple_mutex_lock(apple_pthread_mutex_t *) APPLE("pthread_mutex_lock(_:)");
int apple_mutex_unlock(apple_pthread_mutex_t *) APPLE("pthread_mutex_unlock(_:)");

int apple_pthread_create(
  apple_pthread_t _Nullable *_Nonnull, const apple_pthread_attr_t *_Nullable,
  void *_Nullable (*_Nonnull)(void *), void *_Nullable) APPLE("pthread_create(_:_:_:_:)");
int apple_pthread_detach(apple_pthread_t) APPLE("pthread_detach(_:)");
int apple_pthread_main_np(void) APPLE("pthread_main_np()");
apple_pthread_t apple_pthread_self(void) APPLE("pthread_self()");
int apple_pthread_sigmask(int, const apple_sigset_t *_Nullable, apple_sigset_t *_Nullable)
  APPLE("pthread_sigmask(_:_:_:)");

int apple_key_create(apple_pthread_key_t *, void (*_Nullable)(void *)) APPLE("pthread_key_create(_:_:)");
void *_Nullable apple_getspecific(apple_pthread_key_t) APPLE("pthread_getspecific(_:)");
int apple_setspecific(apple_pthread_key_t, const void *_Nullable) APPLE("pthread_setspecific(_:_:)");

#pragma clang assume_nonnull end
