import BenchSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One run of `replay`, its output thrown away: how long it took, and its memory at the most.
struct ToolProcess {
  /// Nanoseconds from start to end.
  let elapsed: Double
  /// Bytes of memory that were resident at the most.
  let peakBytes: Int

  /// Runs the tool and waits for it. Throws unless it ends with a status that says it did its work: 0, or 1 where it
  /// found what it was to look for.
  init(_ tool: String, _ arguments: [String]) throws {
    var actions: posix_spawn_file_actions_t = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var words = ([tool] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    var status: Int32 = 0
    var usage = rusage()
    let clock = ContinuousClock()
    let start = clock.now
    guard posix_spawn(&process, tool, &actions, nil, &words, environ) == 0 else {
      throw BenchError("\(tool) cannot be run")
    }
    guard wait4(process, &status, 0, &usage) == process, status & 0x7F == 0, status >> 8 <= 1 else {
      throw BenchError("\(tool) \(arguments.joined(separator: " ")) failed")
    }
    elapsed = (clock.now - start).nanoseconds
    #if canImport(Darwin)
      peakBytes = Int(usage.ru_maxrss)
    #else
      peakBytes = Int(usage.ru_maxrss) << 10
    #endif
  }
}
