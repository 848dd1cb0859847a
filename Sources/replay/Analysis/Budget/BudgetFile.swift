import EventLog
import TOMLKit

extension Budget {
  /// Reads a budget.
  ///
  /// - Throws: `ToolError` with the line of the mistake, and what to write instead.
  init(reading file: String) throws {
    try self.init(FileText.read(file), file: file)
  }

  init(_ text: String, file: String) throws {
    self.init(file: file)
    let root: TOMLTable
    do { root = try TOMLTable(string: text) } catch let error as TOMLParseError {
      let place = error.source.begin
      throw ToolError(file: file, line: place.line, column: place.column, error.description)
    }
    let reader = BudgetReader(file: file, places: TOMLPlaces(text))
    for key in root.keys {
      guard let scope = Scope(rawValue: key) else {
        throw reader.mistake(at: [key], "there is no \(key)", among: Scope.allCases.map(\.rawValue))
      }
      guard let table = root[key]?.table else {
        throw reader.mistake(
          at: [key], "\(key) is no table; write [\(scope == .total ? "total" : key + ".NAME")]")
      }
      if scope == .total {
        limits += try reader.limits(of: table, scope, "", at: [key])
      } else {
        for name in table.keys {
          guard let own = table[name]?.table else {
            throw reader.mistake(at: [key, name], "\(name) is no table; write [\(key).NAME]")
          }
          limits += try reader.limits(of: own, scope, name, at: [key, name])
        }
      }
    }
    if limits.isEmpty {
      throw ToolError(
        file: file, line: 1, column: 1, "no limits; --update writes those of a run into a new file")
    }
    limits.sort { $0.line < $1.line }
  }
}

/// Makes limits of tables.
private struct BudgetReader {
  let file: String
  let places: TOMLPlaces

  func limits(of table: TOMLTable, _ scope: Budget.Scope, _ name: String, at path: [String]) throws
    -> [Budget.Limit]
  {
    if scope == .projection, name.projectionGroup != name {
      throw mistake(
        at: path, "\(name) is one instance; a budget is for all, as [projections.\(name.projectionGroup)]")
    }
    return try table.keys.map { key in
      let path = path + [key]
      guard let measure = Budget.Measure(rawValue: key), scope.measures.contains(measure) else {
        throw mistake(at: path, "there is no limit \(key) here", among: scope.measures.map(\.rawValue))
      }
      return Budget.Limit(
        scope: scope, name: name, measure: measure, bound: try bound(table[key], measure, at: path),
        line: places.line(of: path))
    }
  }

  private func bound(_ value: (any TOMLValueConvertible)?, _ measure: Budget.Measure, at path: [String])
    throws
    -> Budget.Bound
  {
    if let number = value?.int, measure != .time {
      guard let limit = UInt64(exactly: number) else { throw mistake(at: path, "a limit is 0 or more") }
      return .absolute(limit)
    }
    let example = measure == .time ? "\"20ms\"" : "300"
    let text = value?.string ?? ""
    guard let bound = Budget.Bound(text, isTime: measure == .time) else {
      throw mistake(at: path, "write \(measure.rawValue) = \(example), or \"+10%\" against a baseline")
    }
    return bound
  }

  func mistake(at path: [String], _ reason: String, among known: [String] = []) -> ToolError {
    var text = reason
    if let last = path.last, !known.isEmpty {
      text += Suggestion.text(for: last, among: known)
      text += "; it may be \(known.joined(separator: ", "))"
    }
    return ToolError(file: file, line: places.line(of: path), column: 1, text.shown)
  }
}

extension Budget.Bound {
  /// Reads `20ms`, `+10%`, `-5%`, `+3`.
  init?(_ text: String, isTime: Bool) {
    if text.hasSuffix("%"), let sign = text.first, sign == "+" || sign == "-" {
      let digits = text.dropFirst().dropLast()
      guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 || $0 == 0x2E }), let percent = Double(digits)
      else {
        return nil
      }
      self = .percent(sign == "-" ? -percent : percent)
      return
    }
    let amount = text.hasPrefix("+") ? String(text.dropFirst()) : text
    if isTime {
      guard case .time(let time)? = Moment(argument: amount) else { return nil }
      self = text.hasPrefix("+") ? .more(time) : .absolute(time)
    } else {
      guard text.hasPrefix("+"), let count = UInt64(amount) else { return nil }
      self = .more(count)
    }
  }
}
