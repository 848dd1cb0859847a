/// Receives the progress of an analysis. It decides what to show, and how often.
package protocol ProgressReceiver {
  /// Called every few thousand events.
  func receive(_ report: AnalysisProgress.Report)
  /// Called when a task has ended or was given up.
  func finish()
}

/// Where an analysis reports its progress.
package struct AnalysisProgress {
  /// The number of steps of a task that are done, and of all its steps.
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

  /// Discards all reports.
  package static var hidden: AnalysisProgress { AnalysisProgress(Nobody()) }

  /// Reports progress. It allocates a string, so it must not be called for each event.
  package func report(_ done: UInt64, of total: UInt64, _ task: String) {
    receiver.receive(Report(done: done, total: total, task: task))
  }

  /// Reports that the task has ended or was given up.
  package func finish() { receiver.finish() }
}
