import EventLog

/// An event on a page that compares two runs: the fields of its JSON line that describe what happened.
struct ReportEvent: Encodable {
  var seq: UInt64
  var time: UInt64
  var kind: String
  /// The path, the projection or the label.
  var name: String?
  var value: PrintedJSON?
  var offset: Int?
  var delete: Int?
  var insert: PrintedJSON?
  var parent: String?
  /// The paths that the projection reads from now on; or, for a change of reads, those that it adds and
  /// drops.
  var paths: [String]?
  var added: [String]?
  var dropped: [String]?
  /// How many more paths there are; nil if all are here.
  var hidden: Int?
  var duration: UInt64?
  var changed: Bool?
  var sameValue: Bool?
  var cause: UInt64?
  var site: String?

  enum CodingKeys: String, CodingKey {
    case seq
    case time = "time_ns"
    case kind, name, value, offset, delete, insert, parent, paths, added, dropped, hidden
    case duration = "duration_ns"
    case changed
    case sameValue = "same_value"
    case cause, site
  }

  /// More paths than anyone reads in one line.
  private static let pathsMax = 100

  init(_ event: Event, _ names: ReportNames, hasValues: Bool) {
    func printed(_ value: Value) -> PrintedJSON? { hasValues ? .cut(value.json) : nil }
    func list(_ paths: [Path]) -> [String] {
      paths.prefix(Self.pathsMax).map { names.path($0.description) }
    }
    seq = event.seq
    time = event.time
    kind = event.body.kind.name
    cause = event.cause
    site = names.isHidden ? nil : event.site?.siteForReport
    if let path = event.body.writtenPath { name = names.path(path.description) }
    if let projection = event.body.projectionName { name = names.projection(projection) }
    sameValue = event.body.sameValue == true ? true : nil
    switch event.body {
    case .set(_, let value, _): self.value = printed(value)
    case .splice(_, let offset, let delete, let insert, _):
      (self.offset, self.delete, self.insert) = (offset, delete, printed(insert))
    case .projection(_, let parent, _): self.parent = parent.map { names.projection($0) }
    case .reads(_, .paths(let paths)):
      self.paths = list(paths)
      hidden = Self.hidden(paths)
    case .reads(_, .change(let added, let dropped)):
      (self.added, self.dropped) = (list(added), list(dropped))
      hidden = Self.hidden(added.count > Self.pathsMax ? added : dropped)
    case .evaluate(_, let duration, let changed, _, _): (self.duration, self.changed) = (duration, changed)
    case .begin(let label): name = label.map { names.label($0) }
    case .mark(let label), .action(let label): name = names.label(label)
    case .finish(let outcome): name = outcome.rawValue
    // For other kinds, the path or the projection above is all there is to show.
    default: break
    }
  }

  private static func hidden(_ paths: [Path]) -> Int? {
    paths.count > pathsMax ? paths.count - pathsMax : nil
  }
}

extension PrintedJSON {
  /// The text; or, if it is too long to read, its beginning as a string.
  static func cut(_ json: String, to most: Int = 4000) -> PrintedJSON {
    PrintedJSON(json.utf8.count <= most ? json : Value.string(json.cutForReport(most)).json)
  }
}
