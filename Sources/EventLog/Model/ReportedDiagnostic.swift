/// What a session reports of its use in its log, for those who cannot ask the session: a mark of which the label says it.
///
/// Sessions and readers have the words from here. Where the words change, readers still understand the former ones.
package struct ReportedDiagnostic: Hashable, Sendable {
  /// What happened, in one sentence without the full stop.
  package let message: String

  package init(_ message: String) { self.message = message }

  /// Reports a child with an input that cannot be compared, so that it runs whenever its parent does.
  ///
  /// - Parameter child: Its name, without an id.
  package init(incomparableInputOf child: String, type: String) {
    message =
      child + Self.ofType + type + Self.isIncomparable + ", so \(child) runs each time that its parent does; "
      + "hand in a type that is Equatable, or has no closures and other parts that cannot be recorded"
  }

  /// What the label of a mark reports; nil of another mark.
  package init?(label: String) {
    guard label.hasPrefix(Self.labelStart) else { return nil }
    message = String(label.dropFirst(Self.labelStart.count))
  }

  /// The label of its mark.
  package var label: String { Self.labelStart + message }

  /// The child of which it reports that its input cannot be compared; nil where it reports something else. The advice behind
  /// that may be in other words.
  package var incomparableChild: String? {
    guard let start = message.firstRange(of: Self.ofType),
      message[start.upperBound...].contains(Self.isIncomparable)
    else { return nil }
    return String(message[..<start.lowerBound])
  }

  private static let labelStart = "diagnostic: "
  private static let ofType = "'s input of type "
  private static let isIncomparable = " cannot be compared"
}
