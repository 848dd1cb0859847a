import Testing

#if canImport(XCTest)
  import XCTest
#endif

extension UnmetExpectation {
  /// Fails the test that is running, whichever library runs it.
  func record(at location: SourceLocation) {
    RecordedRun.current?.noteFailure(of: projections)
    Issue.record(Comment(rawValue: description), sourceLocation: location)
    #if canImport(XCTest)
      // XCTest takes no notice of issues; and within Swift Testing this does nothing.
      if Test.current == nil { XCTFail("\(location.fileID):\(location.line): \(description)") }
    #endif
  }
}
