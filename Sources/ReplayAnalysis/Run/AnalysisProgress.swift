/// Where an analysis reports how far it has come. What is shown of that, and how often, is the caller's.
package struct AnalysisProgress {
  /// So many steps of a task are done, of so many in all.
  package struct Report {
    package let done: UInt64
    package let total: UInt64
    package let task: String
  }

  private let receive: (Report?) -> Void

  /// - Parameter receive: Is called for every few thousand events, and with nil when a task is over.
  package init(_ receive: @escaping (Report?) -> Void) { self.receive = receive }

  /// Reports to nobody.
  package static var hidden: AnalysisProgress { AnalysisProgress { _ in } }

  /// Reports that so many steps of a task are done. It allocates a text: not for each event.
  package func note(_ done: UInt64, of total: UInt64, _ task: String) {
    receive(Report(done: done, total: total, task: task))
  }

  /// Reports that the task is over, or was given up.
  package func finish() { receive(nil) }
}
