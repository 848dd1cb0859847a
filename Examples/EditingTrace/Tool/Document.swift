import Projection

/// What the person edits.
@Recorded final class Document {
  var text = ""

  init(text: String) { self.text = text }
}

extension String {
  /// Replaces bytes where they stand.
  ///
  /// - Throws: ``TraceError`` when the patch does not fit the text.
  mutating func apply(_ patch: Trace.Patch) throws {
    let (end, overflow) = patch.offset.addingReportingOverflow(patch.deleted)
    guard !overflow, patch.offset >= 0, patch.deleted >= 0, end <= utf8.count else {
      throw TraceError("a patch at byte \(patch.offset) does not fit a text of \(utf8.count) bytes")
    }
    let lower = utf8.index(startIndex, offsetBy: patch.offset)
    let upper = utf8.index(lower, offsetBy: patch.deleted)
    guard lower.samePosition(in: unicodeScalars) != nil, upper.samePosition(in: unicodeScalars) != nil else {
      throw TraceError("a patch at byte \(patch.offset) cuts a character in two")
    }
    replaceSubrange(lower..<upper, with: patch.inserted)
  }
}
