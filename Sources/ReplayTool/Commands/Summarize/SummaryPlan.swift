import EventLog
import ReplayAnalysis

/// A log to summarise.
struct SummaryLog: Sendable {
  var path: String
  /// Whether an earlier log has the same `session_id`. The id then refers to that log only.
  var isDuplicate = false

  /// The name of the log's files in a partition without a day, which depends only on the log's path.
  var fileName: String { "log-\(XXH64.hash(Array(path.utf8)).padded(to: 16, radix: 16))" }
}

/// The logs to summarise, by the partition of their rows. Each session occurs once, even if several names
/// lead to its log.
struct SummaryPlan {
  /// The logs of a partition, and the columns of dimensions that they have.
  struct Group {
    let partition: SummaryPartition
    var logs: [SummaryLog] = []
    var dimensions: [String] = []
  }

  /// More columns than an app has dimensions; further ones are left out.
  static let dimensionsMax = 128

  /// Sorted by their folders.
  private(set) var partitions: [Group] = []
  /// The number of logs that were left out as copies of others.
  private(set) var copies = 0
  private(set) var logCount = 0
  /// The sessions, with the salt of the log of each and its index in its partition.
  private var sessions: [SessionKey: (salt: UInt64, partition: SummaryPartition, index: Int)] = [:]

  /// Reads the headers of logs.
  ///
  /// - Parameter paths: The paths, in the order in which to summarise them.
  init(_ paths: [String], in fileSystem: any LogFileSystem, limits: ReadLimits? = .standard) {
    var groups: [SummaryPartition: [SummaryLog]] = [:]
    var dimensions: [SummaryPartition: Set<String>] = [:]
    for path in paths {
      let header = try? LogHeader(ofLogAt: path, in: fileSystem, limits: limits)
      let identity = header.map { SessionIdentity($0) }
      let partition = SummaryPartition(identity)
      var log = SummaryLog(path: path)
      if let header, let identity {
        let key = SessionKey(identity.id)
        if let known = sessions[key] {
          guard known.salt != header.salt || known.partition != partition else {
            copies += 1
            let other = groups[partition]?[known.index].path ?? path
            groups[partition]?[known.index].path = LogCopies.best(other, path, in: fileSystem)
            continue
          }
          log.isDuplicate = true
        } else {
          sessions[key] = (header.salt, partition, groups[partition]?.count ?? 0)
        }
      }
      groups[partition, default: []].append(log)
      dimensions[partition, default: []].formUnion(identity?.dimensions.keys.map { $0 } ?? [])
      logCount += 1
    }
    partitions = groups.sorted { $0.key < $1.key }.map { partition, logs in
      let names = (dimensions[partition] ?? []).map { SummaryTable.dimensionPrefix + $0 }.sorted()
      return Group(partition: partition, logs: logs, dimensions: Array(names.prefix(Self.dimensionsMax)))
    }
  }
}
