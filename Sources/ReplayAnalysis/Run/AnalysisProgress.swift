/// Receives how far an analysis has come. What of that it shows, and how often, is its own affair.
package protocol ProgressReceiver {
  /// Is called for every few thousand events.
  func receive(_ report: AnalysisProgress.Report)
  /// Is called when a task is over, or was given up.
  func finish()
}

/// Where an analysis reports how far it has come.
package struct AnalysisProgress {
  /// So many steps of a task are done, of so many in all.
  package struct Report {
    package let done: UInt64
    package let total: UInt64
    package let task: String
  }

  private struct Nobody: ProgressReceiver {
    func receive(_ report: Report) {}
    func finish() {}
  }

  private let receiver: any ProgressReceiver

  package init(_ receiver: any ProgressReceiver) { self.receiver = receiver }

  /// Reports to nobody.
  package static var hidden: AnalysisProgress { AnalysisProgress(Nobody()) }

  /// Reports that so many steps of a task are done. It allocates a text: not for each event.
  package func note(_ done: UInt64, of total: UInt64, _ task: String) {
    receiver.receive(Report(done: done, total: total, task: task))
  }

  /// Reports that the task is over, or was given up.
  package func finish() { receiver.finish() }
}
