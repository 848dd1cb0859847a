extension Script {
  /// The session as JSON lines, as `replay import` takes them.
  var text: String {
    lines.enumerated().map { $1.text(seq: $0 + 1) }.joined(separator: "\n")
  }
}

extension Line {
  func text(seq: Int) -> String {
    let cause = cause.map { ",\"cause\":\($0)" } ?? ""
    let strand = strand > 0 ? ",\"strand\":\(strand)" : ""
    return "{\"seq\":\(seq),\(body.text)\(cause)\(strand)}"
  }
}

extension Line.Body {
  fileprivate var text: String {
    switch self {
    case .set(let route, let value, _):
      "\"kind\":\"set\",\"path\":\(route.text.quoted),\"value\":\(value.json)\(flag)"
    case .splice(let route, let offset, let delete, let insert, _):
      """
      "kind":"splice","path":\(route.text.quoted),"offset":\(offset),"delete":\(delete),"insert":\(insert.json)\(flag)
      """
    case .remove(let route, _): "\"kind\":\"remove\",\"path\":\(route.text.quoted)\(flag)"
    case .projection(let name, let parent, let tracker):
      "\"kind\":\"projection\",\"projection\":\(name.quoted)"
        + (parent.map { ",\"parent\":\($0.quoted)" } ?? "") + ",\"tracking\":\"\(tracker)\""
    case .reads(let name, let routes):
      "\"kind\":\"reads\",\"projection\":\(name.quoted),\"paths\":\(routes.text)"
    case .change(let name, let added, let dropped):
      "\"kind\":\"reads\",\"projection\":\(name.quoted),\"added\":\(added.text),\"dropped\":\(dropped.text)"
    case .evaluate(let name): "\"kind\":\"evaluate\",\"projection\":\(name.quoted),\"duration_ns\":0"
    case .dispose(let name): "\"kind\":\"dispose\",\"projection\":\(name.quoted)"
    case .invalidate(let name, let causes):
      "\"kind\":\"invalidate\",\"projection\":\(name.quoted),\"causes\":\(causes)"
    case .begin: "\"kind\":\"begin\""
    case .end: "\"kind\":\"end\""
    case .mark(let label): "\"kind\":\"mark\",\"label\":\(label.quoted)"
    }
  }

  private var flag: String { same.map { ",\"same_value\":\($0)" } ?? "" }
}

extension [Route] {
  fileprivate var text: String { "[" + map(\.text.quoted).joined(separator: ",") + "]" }

  fileprivate init?(_ list: Plain?) {
    guard case .array(let paths)? = list else { return nil }
    self = []
    for path in paths {
      guard case .string(let text) = path, let route = Route(text) else { return nil }
      append(route)
    }
  }
}

extension Script {
  /// Reads JSON lines; nil when a line is malformed.
  init?(_ text: String) {
    for line in text.split(separator: "\n") {
      var parser = PlainParser(text: String(line))
      guard case .map(let fields)? = parser.value(), let line = Line(fields) else { return nil }
      lines.append(line)
    }
  }
}

extension Line {
  fileprivate init?(_ fields: Fields) {
    guard let kind = fields.string("kind") else { return nil }
    let route = fields.string("path").flatMap { Route($0) }
    let projection = fields.string("projection")
    var same: Bool?
    if case .bool(let flag)? = fields["same_value"] { same = flag }
    switch (kind, route, projection) {
    case ("set", let route?, _):
      guard let value = fields["value"] else { return nil }
      body = .set(route, value, same: same)
    case ("splice", let route?, _):
      guard let offset = fields.int("offset"), let delete = fields.int("delete"),
        let insert = fields["insert"]
      else { return nil }
      body = .splice(route, offset: offset, delete: delete, insert: insert, same: same)
    case ("remove", let route?, _): body = .remove(route, same: same)
    case ("projection", _, let name?):
      let tracker = fields.string("tracking").flatMap { Tracker(rawValue: $0) }
      body = .projection(name, parent: fields.string("parent"), tracker ?? .element)
    case ("reads", _, let name?):
      if let routes = [Route](fields["paths"]) {
        body = .reads(name, routes)
      } else if fields["added"] != nil || fields["dropped"] != nil {
        // The library leaves out the one that is empty.
        guard let added = fields["added"].map({ [Route]($0) }) ?? [],
          let dropped = fields["dropped"].map({ [Route]($0) }) ?? []
        else { return nil }
        body = .change(name, added: added, dropped: dropped)
      } else {
        return nil
      }
    case ("evaluate", _, let name?): body = .evaluate(name)
    case ("dispose", _, let name?): body = .dispose(name)
    case ("invalidate", _, let name?):
      guard case .array(let seqs)? = fields["causes"] else { return nil }
      body = .invalidate(name, seqs.compactMap { if case .int(let seq) = $0 { Int(seq) } else { nil } })
    case ("begin", _, _): body = .begin
    case ("end", _, _): body = .end
    case ("mark", _, _): body = .mark(fields.string("label") ?? "")
    default: return nil
    }
    cause = fields.int("cause")
    strand = fields.int("strand") ?? 0
  }
}

extension Fields {
  func string(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  func int(_ name: String) -> Int? {
    if case .int(let number)? = self[name] { Int(number) } else { nil }
  }
}
