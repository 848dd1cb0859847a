#if canImport(Combine) || canImport(OpenCombine)
  import Projection

  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  extension Session {
    /// A publisher of the value at a key path: first the present value, then each value that differs from the
    /// one before, after it was stored. A transaction is one change.
    ///
    ///     session.publisher(for: \.isLoading, in: inbox).sink { print($0) }
    ///
    /// Each subscriber has a callback of the session, which ends when the subscription is cancelled. A
    /// subscriber without demand gets the latest value when it requests more. Values are published on the
    /// thread that made the change.
    ///
    /// - Parameter name: The name of the callbacks in the log; by default `onChange(inbox.isLoading)`.
    public func publisher<Root: RecordedObject, Value>(
      for keyPath: KeyPath<Root, Value>, in object: Root, name: String? = nil, fileID: String = #fileID,
      line: Int = #line
    ) -> AnyPublisher<Value, Never> {
      Deferred {
        let values = CurrentValueSubject<Value, Never>(untracked { object[keyPath: keyPath] })
        let subscription = self.onChange(of: keyPath, in: object, name: name, fileID: fileID, line: line) {
          _, new in values.send(new)
        }
        return values.handleEvents(receiveCancel: { subscription.cancel() })
      }.eraseToAnyPublisher()
    }
  }
#endif
