#if Tracing
  import EventLog
  import Logging
  import Projection

  /// Makes the lines of swift-log marks of a session, with the action or callback that they were written in as their cause.
  ///
  /// ```swift
  /// LoggingSystem.bootstrap { label in
  ///   MultiplexLogHandler([StreamLogHandler.standardOutput(label: label), ReplayLogHandler(label: label, session: session)])
  /// }
  /// ```
  ///
  /// A mark reads `log info store: refreshed count=3 user=…`. Values of metadata may be about persons, so they are hidden, except
  /// for those whose keys are named. Messages are recorded as they are.
  ///
  /// Cost: an event for each line.
  public struct ReplayLogHandler: LogHandler {
    private let label: String
    private let session: Session
    private let shownKeys: Set<String>
    /// Lines below this level are not recorded.
    public var logLevel: Logger.Level
    /// What all lines have.
    public var metadata: Logger.Metadata = [:]
    /// What all lines get when they are written.
    public var metadataProvider: Logger.MetadataProvider?

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger.
    ///   - session: The session that records the lines.
    ///   - level: The lowest level that is recorded.
    ///   - keys: The keys of metadata whose values are recorded.
    public init(
      label: String, session: Session, level: Logger.Level = .info, showing keys: Set<String> = []
    ) {
      self.label = label
      self.session = session
      logLevel = level
      shownKeys = keys
    }

    /// A value that all lines have.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    /// Records a line.
    public func log(event: LogEvent) {
      var all = metadata
      if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
      if let own = event.metadata { all.merge(own) { $1 } }
      var text = "\(label): \(event.message)"
      if let error = event.error { text += " (\(type(of: error)))" }
      for (key, value) in all.sorted(by: { $0.key < $1.key }) {
        text += " \(key)=\(shownKeys.contains(key) ? "\(value)" : "…")"
      }
      let mark = MarkLabel.logLine(level: event.level.rawValue, text: text)
      session.mark(mark.text, fileID: event.file, line: Int(clamping: event.line))
    }
  }
#endif
