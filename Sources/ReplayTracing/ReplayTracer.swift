#if Tracing
  import EventLog
  import Projection
  import Synchronization
  import Tracing

  /// Makes the spans of swift-distributed-tracing actions of a session.
  ///
  /// What has spans, such as an HTTP client, then shows its requests beside the state, and what was written within a span has it
  /// as its cause, without a line of code:
  ///
  /// ```swift
  /// InstrumentationSystem.bootstrap(ReplayTracer(session, forwardingTo: otherTracer))
  /// ```
  ///
  /// A span's action has the span's name when it began as its label, where it began as its site, and the span, action or callback
  /// around it as its cause. It ends as the span does: it threw if an error was recorded or the status is one, and was cancelled
  /// if that error is a `CancellationError`. Attributes and events of spans are not recorded; the other tracer gets them.
  ///
  /// Cost: two events for each span, beside what the other tracer takes.
  public struct ReplayTracer: Tracer {
    private let session: Session
    private let other: (any Tracer)?

    /// Creates a tracer.
    ///
    /// - Parameters:
    ///   - session: The session that records the spans.
    ///   - other: The app's own tracer, which gets all spans too.
    public init(_ session: Session, forwardingTo other: (any Tracer)? = nil) {
      self.session = session
      self.other = other
      SpanCauses.register()
    }

    /// Starts a span, and with it an action.
    public func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> ReplaySpan {
      var context = context()
      func start(on tracer: some Tracer) -> any Tracing.Span {
        tracer.startSpan(
          operationName, context: context, ofKind: kind, at: instant(), function: function, file: fileID,
          line: line)
      }
      let known = context[SpanCauses.self] ?? SpanCauses()
      // In the context of the current code an action may be nearer than its span.
      let around = known.seqs[session.number]
      let isElsewhere = around != SpanCauses.current(of: session.number)
      let action = session.beginAction(
        operationName, cause: isElsewhere ? around : nil, fileID: fileID, line: Int(clamping: line))
      let inner = other.map { start(on: $0) }
      if let inner { context = inner.context }
      if let action { context[SpanCauses.self] = known.adding(action, of: session.number) }
      return ReplaySpan(session, action, operationName, context, inner)
    }

    /// Nil: spans are known by their contexts only.
    public func activeSpan(identifiedBy context: ServiceContext) -> ReplaySpan? { nil }

    /// Lets the other tracer send what it has.
    @available(*, deprecated)
    public func forceFlush() { other?.forceFlush() }

    /// Leaves it to the other tracer.
    public func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
      other?.extract(carrier, into: &context, using: extractor)
    }

    /// Leaves it to the other tracer.
    public func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
      other?.inject(context, into: &carrier, using: injector)
    }
  }

  /// A span that is an action of a session, and a span of the other tracer if there is one.
  public final class ReplaySpan: Span {
    private struct State {
      var operationName: String
      var attributes: SpanAttributes = [:]
      var outcome = ActionOutcome.returned
      var hasEnded = false
    }

    /// The context of what runs within the span.
    public let context: ServiceContext
    private let session: Session
    /// The event of the action; nil if the session was closed.
    private let action: UInt64?
    private let inner: (any Span)?
    private let state: Mutex<State>

    fileprivate init(
      _ session: Session, _ action: UInt64?, _ operationName: String, _ context: ServiceContext,
      _ inner: (any Span)?
    ) {
      self.session = session
      self.action = action
      self.context = context
      self.inner = inner
      state = Mutex(State(operationName: operationName))
    }

    /// The name of the span. The action keeps the one that it began with.
    public var operationName: String {
      get { inner?.operationName ?? state.withLock { $0.operationName } }
      set {
        state.withLock { $0.operationName = newValue }
        inner?.operationName = newValue
      }
    }

    /// The attributes, which are not recorded.
    public var attributes: SpanAttributes {
      get { inner?.attributes ?? state.withLock { $0.attributes } }
      set {
        if let inner { inner.attributes = newValue } else { state.withLock { $0.attributes = newValue } }
      }
    }

    /// Whether the action or the other tracer's span is recorded.
    public var isRecording: Bool { action != nil || inner?.isRecording == true }

    /// Sets the status. With an error the action ends as one that threw.
    public func setStatus(_ status: SpanStatus) {
      if status.code == .error {
        state.withLock { if $0.outcome == .returned { $0.outcome = .threw } }
      }
      inner?.setStatus(status)
    }

    /// Hands an event on to the other tracer.
    public func addEvent(_ event: SpanEvent) { inner?.addEvent(event) }

    /// Records an error, with which the action ends as one that threw, or was cancelled.
    public func recordError<Instant: TracerInstant>(
      _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
      state.withLock { $0.outcome = ActionOutcome(of: error) }
      inner?.recordError(error, attributes: attributes, at: instant())
    }

    /// Hands a link on to the other tracer.
    public func addLink(_ link: SpanLink) { inner?.addLink(link) }

    /// Ends the span and the action; only once.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
      let outcome: ActionOutcome? = state.withLock { state in
        defer { state.hasEnded = true }
        return state.hasEnded ? nil : state.outcome
      }
      if let outcome { session.endAction(action, outcome) }
      inner?.end(at: instant())
    }
  }

  /// The innermost span of each session, by the session's number, in the context of a task.
  private struct SpanCauses: ServiceContextKey {
    typealias Value = SpanCauses

    private(set) var seqs: [UInt64: UInt64] = [:]

    func adding(_ seq: UInt64, of session: UInt64) -> SpanCauses {
      var copy = self
      copy.seqs[session] = seq
      return copy
    }

    /// The innermost span around the current code.
    static func current(of session: UInt64) -> UInt64? {
      ServiceContext.current?[SpanCauses.self]?.seqs[session]
    }

    private static let isRegistered: Bool = {
      Session.lookForCauses { current(of: $0) }
      return true
    }()

    /// Lets sessions look for spans.
    static func register() { _ = isRegistered }
  }
#endif
