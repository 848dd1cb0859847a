extension Script {
  /// The smallest session found that still fails.
  func shrunk(while fails: (Script) -> Bool) -> Script {
    var best = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for candidate in best.smaller where fails(candidate) {
        best = candidate
        isSmaller = true
        break
      }
    }
    return best
  }

  /// Slightly smaller sessions, the largest reductions first.
  private var smaller: some Sequence<Script> {
    let positions = Array(lines.indices)
    let chunks = [32, 16, 8, 4, 2].filter { $0 < lines.count }.flatMap { size in
      stride(from: 0, to: lines.count, by: size).map { Array($0..<min($0 + size, lines.count)) }
    }
    let strands = Set(lines.map(\.strand)).subtracting([0]).sorted().map { strand in
      positions.filter { lines[$0].strand == strand }
    }
    let transactions = pairs
    let single = positions.map { [$0] }
    let deletions = (chunks + strands + transactions + single).lazy.map { self.without(Set($0)) }
    let moves = (strands + transactions + single).lazy
      .filter { $0.contains { self.lines[$0].strand > 0 } }
      .map { self.onStrand0($0) }
    let edits = positions.lazy.flatMap { position in
      self.lines[position].smaller.map { line in
        var script = self
        script.lines[position] = line
        return script
      }
    }
    return [AnySequence(deletions), AnySequence(moves), AnySequence(edits)].lazy.joined()
  }

  /// The two ends of every transaction.
  private var pairs: [[Int]] {
    var open: [Int: [Int]] = [:]
    var pairs: [[Int]] = []
    for (position, line) in lines.enumerated() {
      switch line.body {
      case .begin: open[line.strand, default: []].append(position)
      case .end:
        if let begin = open[line.strand]?.popLast() ?? open[0]?.popLast() { pairs.append([begin, position]) }
      default: break
      }
    }
    return pairs
  }

  /// The session with some lines on strand 0.
  private func onStrand0(_ positions: [Int]) -> Script {
    var script = self
    for position in positions { script.lines[position].strand = 0 }
    return script
  }

  /// The session without some lines; causes follow the lines that they name.
  private func without(_ positions: Set<Int>) -> Script {
    var script = Script()
    var numbers: [Int: Int] = [:]
    for (position, line) in lines.enumerated() where !positions.contains(position) {
      var line = line
      line.cause = line.cause.flatMap { numbers[$0] }
      script.lines.append(line)
      numbers[position + 1] = script.lines.count
    }
    return script
  }
}

extension Line {
  /// Smaller forms of the line.
  fileprivate var smaller: [Line] {
    var lines: [Line] = cause == nil ? [] : [Line(cause: nil, strand: strand, body: body)]
    switch body {
    case .reads(let name, let routes):
      for position in routes.indices {
        var fewer = routes
        fewer.remove(at: position)
        lines.append(with(.reads(name, fewer)))
      }
    case .change(let name, let added, let dropped):
      for position in added.indices {
        var fewer = added
        fewer.remove(at: position)
        lines.append(with(.change(name, added: fewer, dropped: dropped)))
      }
      for position in dropped.indices {
        var fewer = dropped
        fewer.remove(at: position)
        lines.append(with(.change(name, added: added, dropped: fewer)))
      }
    case .set(let route, let value, let same):
      lines += value.smaller.map { with(.set(route, $0, same: same)) }
      if same != nil { lines.append(with(.set(route, value, same: nil))) }
    case .splice(let route, let offset, let delete, let insert, let same):
      lines += insert.smaller.map {
        with(.splice(route, offset: offset, delete: delete, insert: $0, same: same))
      }
    default: break
    }
    return lines
  }
}

extension Plain {
  /// The value without one of its parts, or with a smaller one.
  fileprivate var smaller: [Plain] {
    switch self {
    case .array(let elements):
      elements.indices.flatMap { position in
        var fewer = elements
        fewer.remove(at: position)
        let changed = elements[position].smaller.map { element in
          var changed = elements
          changed[position] = element
          return Plain.array(changed)
        }
        return [Plain.array(fewer)] + changed
      }
    case .map(let fields): fields.smaller.map { .map($0) }
    case .object(let number, let type, let fields):
      fields.smaller.map { .object(number: number, type: type, $0) }
    default: []
    }
  }
}

extension Fields {
  fileprivate var smaller: [Fields] {
    entries.flatMap { entry in
      [changed(entry.name, to: nil)]
        + entry.value.smaller.map { changed(entry.name, to: $0) }
    }
  }

  private func changed(_ name: String, to value: Plain?) -> Fields {
    var fields = self
    fields[name] = value
    return fields
  }
}
