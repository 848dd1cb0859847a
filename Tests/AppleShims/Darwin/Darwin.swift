// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for the module Darwin, only for type-checking, never to run: `.ci/apple`. It declares what the
// sources use, and nothing of Glibc, so that code fails here if it uses a symbol that Apple's systems lack.
// Functions and types are in headers.h; this file has what Swift imports from macros, and what Apple's own
// overlay adds to its headers.

@_exported import AppleHeaders

public var errno: Int32 {
  get { 0 }
  set {}
}
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EEXIST: Int32 { 17 }
public var EINVAL: Int32 { 22 }
public var EPIPE: Int32 { 32 }

public var SIGHUP: Int32 { 1 }
public var SIGINT: Int32 { 2 }
public var SIGILL: Int32 { 4 }
public var SIGTRAP: Int32 { 5 }
public var SIGABRT: Int32 { 6 }
public var SIGFPE: Int32 { 8 }
public var SIGBUS: Int32 { 10 }
public var SIGSEGV: Int32 { 11 }
public var SIGPIPE: Int32 { 13 }
public var SIGTERM: Int32 { 15 }
public var SIG_UNBLOCK: Int32 { 2 }
public var SA_ONSTACK: Int32 { 1 }
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { unsafeBitCast(1, to: sig_t.self) }

public var LOCK_SH: Int32 { 1 }
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }
public var SEEK_DATA: Int32 { 4 }
public var RENAME_SWAP: Int32 { 2 }
public var F_OK: Int32 { 0 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_DUPFD_CLOEXEC: Int32 { 67 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }

public var TIOCGWINSZ: UInt { 0x4008_7468 }

// In C these functions are variadic.
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 { 0 }
