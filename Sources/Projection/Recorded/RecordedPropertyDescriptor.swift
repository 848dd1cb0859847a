/// Describes a logged property of a class.
///
/// The rest of the library asks what may be done with a property, and not of which kind it is. A new kind of
/// property is described here.
public struct RecordedPropertyDescriptor: Hashable, Sendable {
  /// The name, as in paths.
  public let name: String
  /// Whether it is a `let`.
  public let isConstant: Bool
  /// The part of its value that the log may hold; nil if the log holds the value itself.
  public let redaction: Redaction?

  /// Whether the log must not hold its unredacted value.
  public var isRedacted: Bool { redaction != nil }

  /// Creates a descriptor.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - isConstant: Whether it is a `let`.
  ///   - isRedacted: Whether the log must not hold its unredacted value.
  ///   - isHashed: Whether the log may hold a hash of a redacted value.
  public init(_ name: String, isConstant: Bool = false, isRedacted: Bool = false, isHashed: Bool = false) {
    self.name = name
    self.isConstant = isConstant
    redaction = isRedacted ? (isHashed ? .hashed : .hidden) : nil
  }
}

extension RecordedPropertyDescriptor {
  /// Whether the log holds what is needed to give the property its recorded value again.
  var isRestorable: Bool { !isRedacted }

  /// Whether events and reads must name the property as a whole: none of its elements, fields or edits.
  var hidesParts: Bool { isRedacted }

  /// Whether a set to a scalar is recorded as that scalar and leads no path elsewhere. An id may change which
  /// elements paths lead to.
  var isPlainScalar: Bool { !isRedacted && name != "id" }
}
