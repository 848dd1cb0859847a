import EventLog
import ReplayAnalysis

/// A log to summarise.
struct SummaryLog: Sendable {
  var path: String
  /// Whether another log has its `session_id`, which then stands for that one alone.
  var isDuplicate = false

  /// What its files in a partition without a day are called, whatever else is there.
  var fileName: String {
    let digits = String(XXH64.hash(Array(path.utf8)), radix: 16)
    return "log-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Which logs are summarised, by the partitions that their rows go to: each session once, by whatever names its log was
/// given.
struct SummaryPlan {
  /// In the order of their folders.
  private(set) var partitions: [(partition: SummaryPartition, logs: [SummaryLog])] = []
  /// How many logs were left out as copies of others.
  private(set) var copies = 0
  private(set) var logCount = 0

  /// Reads the headers of logs.
  ///
  /// - Parameter paths: In the order in which they are to be summarised.
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

/// A session's id in sixteen bytes, as there may be millions; two that differ are as good as never taken for one.
private struct SessionKey: Hashable {
  let first: UInt64
  let second: UInt64

  init(_ id: String) {
    let bytes = Array(id.utf8)
    first = XXH64.hash(bytes)
    second = XXH64.hash(bytes, seed: 1)
  }
}
