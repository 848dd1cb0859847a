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
  /// Sorted by their folders.
  private(set) var partitions: [(partition: SummaryPartition, logs: [SummaryLog])] = []
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
      logCount += 1
    }
    partitions = groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Throws if tables in a folder have sessions that would be lost: those of a day and version that is to be replaced,
  /// which none of these logs has. Cost: reading the ids of the sessions of these days and versions.
  func expectNoLoss(in folder: String) throws {
    guard Platform.isFolder("\(folder)/\(SummaryTable.sessions.rawValue)") else { return }
    let tables = try SummaryReader(folder)
    for (partition, _) in partitions where partition.isDated {
      var (lost, example) = (0, "")
      do {
        try tables.forEachSession(of: partition) { id in
          if sessions[SessionKey(id)]?.partition == partition { return }
          if lost == 0 { example = id }
          lost += 1
        }
      } catch {
        throw ToolError("\(error); what is in \(partition.path) is replaced only with --replace")
      }
      if lost > 0 {
        throw ToolError(
          "\(folder) has \(Units.count(lost, "session")) in \(partition.path) that none of these logs is of, such as "
            + "\(example); name all logs of that day and version, or give --replace to lose these")
      }
    }
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
