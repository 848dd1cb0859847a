import BenchSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time until a command of `replay` prints its first byte.
enum FirstByte {
  /// Runs the tool until it has written a byte, ends it, and returns the nanoseconds until then.
  static func time(_ tool: String, _ arguments: [String]) throws -> Double {
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { throw BenchError("there is no pipe") }
    defer { close(pipes[0]) }
    var actions: posix_spawn_file_actions_t = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
    posix_spawn_file_actions_addclose(&actions, pipes[0])
    posix_spawn_file_actions_addclose(&actions, pipes[1])
    var words = ([tool] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let clock = ContinuousClock()
    let start = clock.now
    let status = posix_spawn(&process, tool, &actions, nil, &words, environ)
    close(pipes[1])
    guard status == 0 else { throw BenchError("\(tool) cannot be run") }
    var byte: UInt8 = 0
    let count = read(pipes[0], &byte, 1)
    let elapsed = (clock.now - start).nanoseconds
    kill(process, SIGTERM)
    var end: Int32 = 0
    waitpid(process, &end, 0)
    guard count == 1 else { throw BenchError("\(tool) \(arguments.joined(separator: " ")) printed nothing") }
    return elapsed
  }
}
