import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why something cannot be measured.
package struct BenchError: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}

/// One run of `replay`, with its output discarded: how long it took, and its peak memory.
package struct ToolProcess {
  /// Nanoseconds from start to end.
  package let elapsed: Double
  /// The peak of its resident memory, in bytes.
  package let peakBytes: Int

  /// Runs the tool and waits for it. Throws unless its exit status is 0, or 1, which means that it found what it was
  /// asked to look for.
  package init(_ tool: String, _ arguments: [String]) throws {
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
    #if !canImport(Darwin)
      let peak = PeakMemory(of: process)
    #endif
    guard wait4(process, &status, 0, &usage) == process, status & 0x7F == 0, status >> 8 <= 1 else {
      throw BenchError("\(tool) \(arguments.joined(separator: " ")) failed")
    }
    elapsed = (clock.now - start).nanoseconds
    #if canImport(Darwin)
      peakBytes = Int(usage.ru_maxrss)
    #else
      peakBytes = peak.end()
    #endif
  }
}

#if !canImport(Darwin)
  /// Watches the peak memory of a process. The peak that Linux reports at the end includes the memory of the parent
  /// process, here that of the benchmark.
  private final class PeakMemory: @unchecked Sendable {
    private let lock = NSLock()
    private var peak = 0
    private var isOver = false

    init(of process: pid_t) {
      Thread.detachNewThread { [self] in
        while !lock.withLock({ isOver }) {
          let now = Self.peakBytes(of: process)
          lock.withLock { peak = max(peak, now) }
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
    }

    func end() -> Int {
      lock.withLock {
        isOver = true
        return peak
      }
    }

    private static func peakBytes(of process: pid_t) -> Int {
      // The process may have ended since; then the peak that was read before counts.
      guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
      else { return 0 }
      return kibibytes << 10
    }
  }
#endif
