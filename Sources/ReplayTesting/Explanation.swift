import Projection

extension MeasureReport {
  /// What led to what, as an indented tree: each write with the value before and after it, below it what it woke, and
  /// below that what was written in turn.
  ///
  ///     set store.rows[id: 42].count  0 -> 1
  ///       Row#42
  ///       unread
  ///         set derived.unread  7 -> 8
  ///           Badge
  ///
  /// Four and more alike branches are laid together, and a long tree is cut.
  public var explanation: String {
    if cascade.entries.isEmpty { return "nothing was written, and nothing ran" }
    let lines = CascadeText(cascade).lines
    var shown = Array(lines.prefix(Self.maximumLines))
    if lines.count > shown.count { shown.append("and \(lines.count - shown.count) more lines") }
    if cascade.omitted > 0 { shown.append("and \(cascade.omitted) more writes and evaluations") }
    return shown.joined(separator: "\n")
  }

  private static let maximumLines = 60
}
