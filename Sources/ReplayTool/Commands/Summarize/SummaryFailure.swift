import EventLog
import Parquet
import ReplayAnalysis

/// Why a log is missing from the tables, or only partly in them.
///
/// The texts are fixed, except for numbers. Errors contain paths and keys, and so what users typed and the
/// names of their folders, which tables must not contain; `replay info` shows them for a log.
struct SummaryFailure {
  /// Reasons besides the codes of `LogError`.
  enum Reason: String {
    case torn, damaged, misfit, duplicate
    case tooLarge = "too-large"
    case overLimit = "over-limit"
  }

  let code: String
  let message: String
  /// The first event that could not be read, or that does not fit.
  let unreadSeq: UInt64?

  private init(_ code: String, _ message: String, unreadSeq: UInt64? = nil) {
    (self.code, self.message, self.unreadSeq) = (code, message, unreadSeq)
  }

  init(_ reason: Reason, unreadSeq: UInt64? = nil) {
    let message =
      switch reason {
      case .torn: "the log ends inside a block; what comes before it was counted"
      case .damaged: "part of the log is not what was written; what comes before it was counted"
      case .misfit: "an event does not fit the events before it"
      case .duplicate: "another log has the same session_id, and was counted"
      case .tooLarge: "a number is 2^63 or more"
      case .overLimit: "the log takes more memory or time than allowed; see --limit-memory"
      }
    self.init(reason.rawValue, message, unreadSeq: unreadSeq)
  }

  init(_ error: any Error) {
    switch error {
    case let error as LogError:
      let place = error.byteOffset.map { " at byte \($0)" } ?? ""
      self.init(error.code.rawValue, Self.words(error) + place)
    case let error as AnalysisError:
      if case .misfit(let seq, let cause) = error.reason {
        self.init(cause.isOverLimit ? .overLimit : .misfit, unreadSeq: seq)
      } else {
        self.init(.misfit)
      }
    default: self.init(.tooLarge)
    }
  }

  private static func words(_ error: LogError) -> String {
    switch error.code {
    case .io: "the log cannot be read" + (error.errno.map { ": \(Platform.message($0))" } ?? "")
    case .notALog: "this is not an event log, or not its start"
    case .torn: "the log ends inside its first block"
    case .damaged, .wrongIndex: "the log is not what was written"
    case .missingState: "the log begins after its first event, and the state there is missing"
    case .overLimit: "the log takes more memory or time than allowed; see --limit-memory"
    default: "the log cannot be read"
    }
  }
}
