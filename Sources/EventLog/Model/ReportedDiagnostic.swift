/// A session's diagnostic in its log, for readers that have no access to the session: a mark whose label
/// holds the message.
///
/// Sessions and readers share these texts. If they change, readers must still understand the earlier ones.
package struct ReportedDiagnostic: Hashable, Sendable {
  /// The diagnostic, as one sentence without the full stop.
  package let message: String

  package init(_ message: String) { self.message = message }

  /// Reports a child whose input cannot be compared, so that it runs whenever its parent does.
  ///
  /// - Parameter child: The child's name, without an id.
  package init(incomparableInputOf child: String, type: String) {
    message =
      child + Self.ofType + type + Self.isIncomparable + ", so \(child) runs each time that its parent does; "
      + "hand in a type that is Equatable, or has no closures and other parts that cannot be recorded"
  }

  /// Reports that a projection reads an object which is `@Observable`, and which the session neither records nor follows.
  ///
  /// - Parameters:
  ///   - reader: The projection's name, without an id.
  ///   - isAlone: Whether it is certain that it is not a projection within that one which reads the object.
  ///   - type: The class of the object, if it is known.
  ///   - runsAgain: Whether the session runs the projection for its changes all the same.
  package init(reader: String, isAlone: Bool = true, ofUnfollowed type: String?, runsAgain: Bool) {
    message =
      reader + (isAlone ? "" : Self.orWithin)
      + (type.map { " reads a \($0), which" } ?? " reads an object that") + Self.isUnfollowed
      + (runsAgain ? "runs for its changes without a cause in the log" : "is not invalidated by its changes")
      + "; make the class @Recorded, and attach the object, or follow it: "
      + #"session.follow(object, as: "name", properties: \.property)"#
  }

  /// The diagnostic in the label of a mark; nil for other marks.
  package init?(label: String) {
    guard label.hasPrefix(Self.labelStart) else { return nil }
    message = String(label.dropFirst(Self.labelStart.count))
  }

  /// The label of the mark that holds it.
  package var label: String { Self.labelStart + message }

  /// The child whose input cannot be compared; nil for other diagnostics. The text after the name is ignored,
  /// because its wording may differ between versions.
  package var incomparableChild: String? {
    guard let start = message.firstRange(of: Self.ofType),
      message[start.upperBound...].contains(Self.isIncomparable)
    else { return nil }
    return String(message[..<start.lowerBound])
  }

  /// Whether it is about a projection that reads an object which the session neither records nor follows.
  ///
  /// - Parameter reader: The projection's name, without an id.
  package func isUnfollowedRead(by reader: String) -> Bool {
    ["", Self.orWithin].contains { message.hasPrefix(reader + $0 + " reads a") }
      && message.contains(Self.isUnfollowed)
  }

  private static let isUnfollowed = " is @Observable but not recorded, and "
  private static let orWithin = " or a projection within it"
  private static let labelStart = "diagnostic: "
  private static let ofType = "'s input of type "
  private static let isIncomparable = " cannot be compared"
}
