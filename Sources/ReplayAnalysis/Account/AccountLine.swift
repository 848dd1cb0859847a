import EventLog

/// The lines of an account of runs. Each run of a projection is in exactly one: **the first of these, in this order,
/// whose sentence is true of it**. The last is true of every run, so the lines add up to all runs of the log.
///
/// A line of needless runs says what the log proves, and nothing more. So the sentences need these words:
///
/// - A *flush* begins with an event of the app's own outside of transactions, and ends before the next such event that
///   comes after a run. An event is the app's own as for ``FlushBounds``.
/// - The *life* of a projection begins with its `projection` and ends with its `dispose`. Moving to another parent does
///   neither. A *first* run is the first of a life that began in the log.
/// - What happened *below* a run: a child of its projection was made, ended, or ran with another input. It belongs to a
///   run of the parent in the same flush. Children are made and run within the run of their parent, and so before its
///   event: what was made or ran belongs to the next run, or else to the last before it; also to the last, if that has
///   the same cause and the next has not, as where a host runs the children after their parent. What ended belongs to the
///   last run before it, which did not make it any more, or else to the next.
/// - What a run *answers*: the invalidations of its projection since its last run, if there are any, and the last of them
///   is what the run names as its cause. Of other runs it is not known that they ran for these alone.
/// - A write is *recorded as equal* if it counted as a change, and the value is as before. A value of which a part is
///   redacted is never known to be equal.
/// - A run is *idle* if it was not the first, its output is not known to differ, and nothing happened below it.
/// - A projection *shows* something if it is neither a callback nor a derived value.
/// - The *action* of a write or a run is the nearest in its chain of causes.
package enum AccountLine: String, Codable, Sendable, CaseIterable {
  /// Idle, and its input is not known to differ; all that it answers are writes that are recorded as equal.
  case equalValue = "equal-value"
  /// The same, where at least one of these writes stored another object whose properties have the same values.
  case sameContent = "same-content"
  /// Idle, its output was the same, and it is no derived value: where one comes out equal, what reads it need not run.
  case drewSame = "drew-same"
  /// A first run. In the run of its parent in which it was made, as many children of its kind ended as were made, no others of
  /// the kind are left when the flush is over, and it began by reading what one of these had begun by reading (each is
  /// counted once). An only child must have read something.
  case madeAnew = "made-anew"
  /// It answers, last of all, a write of an action outside of transactions, and the run before it in this life did too: the
  /// same path, the same action, and no more than 4 ms before (``burstGap``).
  case repeated
  /// Idle, and at least the third run in a row of its life that answers, last of all, a write of an action outside of
  /// transactions: all of one path and with one root, each further away from this root than the one before. The last was
  /// made a second or more after its action had ended.
  case loop
  /// Its projection shows something, and within 4 ms it ran again, in the same flush or for the same action, or its parent ended
  /// it in a run of the same flush, having run after it once more before. The run that replaced it is of none of the lines
  /// above. Two writes of the app's own without an action may be acts of a person in a recording faster than life, so they are
  /// not taken to belong together, however close; and what its parent did not end may have ended with the recording.
  case replaced
  /// Not idle: its output differed, it was the first, or something happened below it; or it is a derived value that came out
  /// equal.
  case needed
  /// All others: the output of the body is no value or is hidden, and none of the above is known.
  case unknown

  /// What is said of the runs, after their number: `12 drew the same`.
  package var phrase: String {
    switch self {
    case .equalValue: "for an equal value"
    case .sameContent: "for another object of the same content"
    case .drewSame: "drew the same"
    case .madeAnew: "made anew"
    case .repeated: "for a repeated write"
    case .loop: "in a loop through time"
    case .replaced: "replaced before a frame"
    case .needed: "needed"
    case .unknown: "cannot be told"
    }
  }

  /// The longest time between two writes of one burst, in nanoseconds: a quarter of a frame of a screen, so that what an app
  /// does in each frame is not one burst.
  static let burstGap: UInt64 = 4_000_000

  /// Whether it is a reason for which runs were needless.
  package var isNeedless: Bool { self != .needed && self != .unknown }

  /// Whether a run of this line may turn out to have been replaced, or may replace one.
  var isOpen: Bool { !isNeedless }

  /// Whether a run of this line was for nothing: it showed nothing else, here or below it. Nil if that cannot be told, as of
  /// a body without a value.
  func isForNothing(_ run: AccountedRun) -> Bool? {
    switch self {
    case .equalValue, .sameContent, .drewSame, .loop: true
    default: run.isDerived && run.changed == false ? true : run.isIdle ? nil : false
    }
  }

  /// The line of a run, but for what comes after it.
  init(_ run: AccountedRun) { self = Self.allCases.first { $0.holds(for: run) } ?? .unknown }

  private func holds(for run: AccountedRun) -> Bool {
    switch self {
    case .equalValue: run.isIdle && run.inputChanged != true && run.answers == .equalWrites
    case .sameContent: run.isIdle && run.inputChanged != true && run.answers == .sameContent
    case .drewSame: run.isIdle && run.changed == false && !run.isDerived
    case .madeAnew: run.isMadeAnew
    case .repeated: run.isRepeated
    case .loop: run.isIdle && run.isLooping
    case .replaced: false
    case .needed: !run.isIdle || run.isDerived && run.changed == false
    case .unknown: true
    }
  }
}

/// What the account knows of a run when its flush is over.
struct AccountedRun {
  var seq: UInt64
  var time: UInt64
  /// The time of its own, without that of its children's runs: the log has it so.
  var duration: UInt64
  var projection: ProjectionID
  var parent: ProjectionID?
  var group: GroupID<ProjectionID>
  var cause: UInt64
  /// 0 if there is none.
  var action: UInt64 = 0
  var changed: Bool?
  var inputChanged: Bool?
  var isFirst: Bool
  /// Whether the beginning of its life is known, and so its end is seen too.
  var isAlive: Bool
  var kind: RunKind
  /// The event with which the projection was made, or moved to its parent, and what it read then.
  var birth: UInt64
  var firstReads: UInt64
  var answers: Answered
  var isRepeated: Bool
  var isLooping: Bool
  /// What had invalidated its projection.
  var units: WriteTally.Units
  /// Whether a child was made, ended, or ran with another input.
  var hasWorkBelow = false
  /// The child that ended where this one was made anew.
  var replaced: ProjectionID?

  var isMadeAnew: Bool { replaced != nil }

  var isDerived: Bool { kind == .derived }
  /// Whether its projection shows something.
  var isShown: Bool { kind == .first || kind == .again }
  var isIdle: Bool { !isFirst && changed != true && !hasWorkBelow }
}

/// What put a projection out of date before a run, in the order of what the log proves less and less.
enum Answered: UInt8, Comparable {
  /// Nothing that is known.
  case nothing
  case equalWrites
  case sameContent
  /// Something that changed.
  case change

  static func < (a: Answered, b: Answered) -> Bool { a.rawValue < b.rawValue }
}
