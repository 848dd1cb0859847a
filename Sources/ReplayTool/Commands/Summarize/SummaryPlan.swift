import EventLog
import ReplayAnalysis

/// A log to summarise.
struct SummaryLog: Sendable {
  var path: String
  /// Whether an earlier log has the same `session_id`. The id then refers to that log only.
  var isDuplicate = false

  /// The name of the log's files in a partition without a day, which depends only on the log's path.
  var fileName: String {
    let digits = String(XXH64.hash(Array(path.utf8)), radix: 16)
    return "log-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// The logs to summarise, by the partition of their rows. Each session occurs once, even if several names
/// lead to its log.
struct SummaryPlan {
  /// Sorted by their folders.
  private(set) var partitions: [(partition: SummaryPartition, logs: [SummaryLog])] = []
  /// The number of logs that were left out as copies of others.
  private(set) var copies = 0
  private(set) var logCount = 0

  /// Reads the headers of logs.
  ///
  /// - Parameter paths: The paths, in the order in which to summarise them.
  init(_ paths: [String], in fileSystem: any LogFileSystem) {
    var groups: [SummaryPartition: [SummaryLog]] = [:]
    var seen: [SessionKey: (salt: UInt64, partition: SummaryPartition, index: Int)] = [:]
    for path in paths {
      let header = try? LogHeader(ofLogAt: path, in: fileSystem)
      let identity = header.map { SessionIdentity($0) }
      let partition = SummaryPartition(identity)
      var log = SummaryLog(path: path)
      if let header, let identity {
        let key = SessionKey(identity.id)
        if let known = seen[key] {
          guard known.salt != header.salt || known.partition != partition else {
            copies += 1
            let other = groups[partition]?[known.index].path ?? path
            groups[partition]?[known.index].path = LogCopies.best(other, path, in: fileSystem)
            continue
          }
          log.isDuplicate = true
        } else {
          seen[key] = (header.salt, partition, groups[partition]?.count ?? 0)
        }
      }
      groups[partition, default: []].append(log)
      logCount += 1
    }
    partitions = groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// A 16-byte hash of a session's id, since there may be millions. Collisions are practically impossible.
private struct SessionKey: Hashable {
  let first: UInt64
  let second: UInt64

  init(_ id: String) {
    let bytes = Array(id.utf8)
    first = XXH64.hash(bytes)
    second = XXH64.hash(bytes, seed: 1)
  }
}
