import EventLog

/// Why a projection did not run for a write, or shows what was there before it. All reasons that the log has are
/// listed, the first of which is the one to look at.
package struct WhyNot: Encodable, Sendable {
  package struct Reason: Encodable, Sendable {
    package enum Kind: String, Encodable, Sendable {
      /// It did run.
      case ran
      case notBegun = "not_begun"
      case ended
      /// It was invalidated, and has not run since.
      case waiting
      /// The session stopped a flush that did not come to an end.
      case stopped
      /// The write changed nothing, by the comparison of the property.
      case equal
      /// The transaction took the change back.
      case undone
      /// The transaction of the write never ended.
      case open
      /// It does not read what was written.
      case unread
      /// A derived value between the two came out the same.
      case derivedSame = "derived_same"
      /// A derived value between the two was invalidated, and nobody has asked for it since.
      case derivedWaiting = "derived_waiting"
      /// Its parent ran, and skipped it for an equal input.
      case inputSame = "input_same"
      /// Its parent's run, by a host, did not reach it.
      case handedNothing = "handed_nothing"
      /// Its parent was invalidated, and has not run since.
      case parentWaiting = "parent_waiting"
      /// The log has damage or ends.
      case lost
      /// Nothing that it reads has changed since its last run.
      case current
    }

    package var kind: Kind
    /// The event that shows it; nil if none does.
    package var seq: UInt64?
    /// A sentence.
    package var message: String
    /// For what it does not read: the reads that are most like it.
    package var nearest: [String]?
  }

  package struct Write: Encodable, Sendable {
    package var seq: UInt64
    package var time: UInt64
    package var path: String
    package var old: PrintedJSON?
    package var new: PrintedJSON?
    package var site: String?

    enum CodingKeys: String, CodingKey {
      case seq
      case time = "time_ns"
      case path, old, new, site
    }
  }

  package let projection: String
  /// The write that is asked about; nil if the log has none.
  package let write: Write?
  package let reasons: [Reason]
  /// What is written near what the projection reads, the nearest first; nil if the user named a write.
  package let near: [NearWrite]?
  /// Paths that are written and that no projection reads, those that are written most often first; nil if the user named a
  /// write.
  package let unreadPaths: [NearWrite]?

  enum CodingKeys: String, CodingKey {
    case projection, write, reasons
    case near = "near_writes"
    case unreadPaths = "unread_writes"
  }

  /// The answer in lines of text: the write, then each reason.
  package var lines: [String] {
    let change = write.map { "\($0.path)  \($0.old?.text ?? "nothing") -> \($0.new?.text ?? "nothing")" }
    let title = change.map { "\(projection), for \($0):" } ?? "\(projection):"
    return [title]
      + reasons.flatMap { reason in
        ["- \(reason.message)" + (reason.seq.map { " (event \($0))" } ?? "")]
          + (reason.nearest ?? []).map { "    reads \($0)" }
      }
  }

  /// - Parameters:
  ///   - name: A projection; the name of a group stands for the instance that was made last.
  ///   - pattern: Asks about the last write of a path that matches; nil for the last write of any.
  ///   - moment: Asks about the last such write up to here; nil for the end of the log.
  /// - Throws: `AnalysisError` if the log has no such projection, moment or write.
  package init(
    _ name: String, write pattern: PathPattern? = nil, at moment: Moment? = nil, in log: LogSource,
    progress: AnalysisProgress = .hidden
  ) throws {
    let isOfPart = log.damage.isOfPart
    defer { log.damage.isOfPart = isOfPart }
    let limit = try moment?.seq(in: log) ?? log.lastSeq
    let search = WhyNotSearch(log, progress)
    guard let write = try search.lastWrite(of: pattern, upTo: limit) else {
      let known = pattern == nil ? [] : LogNames(log).writtenPaths.map(\.description).sorted()
      let text = pattern?.description ?? "**"
      throw AnalysisError(log, .unwritten(path: text, nearest: Suggestion.nearest(to: text, among: known)))
    }
    let found = try search.answer(
      ProjectionPattern(name), about: write, isAsked: pattern != nil || moment != nil,
      upTo: moment == nil ? nil : limit)
    (projection, self.write, reasons) = (found.projection, found.write, found.reasons)
    var others = pattern == nil ? NearWrites(of: found.projection, upTo: limit) : nil
    _ = try log.play(to: &others, progress: progress)
    (near, unreadPaths) = (others?.near, others?.unread)
  }
}
