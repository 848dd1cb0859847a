// What commands ask that follow a log while it is recorded.

extension LogReader {
  /// Whether a writer has the log open now; nil if that cannot be known, as on a file system without locks.
  package var hasWriter: Bool? { file.hasWriter() }

  /// The same log, opened anew from its open files, whatever names these have by now. Cost: as that of opening it.
  package func reopened() throws(LogError) -> LogReader {
    try LogReader(file: file, path: path, limits: limits)
  }
}
