import EventLog

/// Budgets as text, made of what a run did.
enum BudgetUpdate {
  /// A budget that the run just keeps: of every projection that ran, and of every kind of write that woke somebody.
  ///
  /// Times are left out, as they differ from run to run.
  static func new(_ run: BudgetMeasures, log: String) -> String {
    var text = """
      # What a run may do at most; replay check LOG --budget FILE. Written by --update from \(log.shown).
      # Limits: evaluations, wasted, invalidations, time = "20ms"; of cascades also fan_out, each of any one of them.
      # A number, or "+10%" and "+3" against --baseline LOG. * in a name stands for any characters.

      [total]
      evaluations = \(run.total[.evaluations])
      wasted = \(run.total[.wasted])

      """
    for (name, amounts) in run.projections.sorted(by: { $0.key < $1.key }) where amounts[.evaluations] > 0 {
      text += "\n[projections.\(key(name.string))]\n"
      text += "evaluations = \(amounts[.evaluations])\nwasted = \(amounts[.wasted])\n"
    }
    for (name, amounts) in run.cascades.sorted(by: { $0.key < $1.key }) where amounts[.invalidations] > 0 {
      text += "\n[cascades.\(key(name.string))]\n"
      text += "evaluations = \(amounts[.evaluations])\nfan_out = \(amounts[.fanOut])\n"
    }
    return text
  }

  /// The same file with what the run did in the place of each absolute limit; the rest of it, comments too, stays.
  ///
  /// - Returns: The text, and how many limits are others than before.
  static func rewrite(_ text: String, _ budget: Budget, _ check: BudgetCheck) -> (text: String, changes: Int)
  {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var changes = 0
    for (limit, result) in zip(budget.limits, check.limits) {
      guard case .absolute(let old) = limit.bound, lines.indices.contains(limit.line - 1) else { continue }
      let new = limit.measure == .time ? roomy(result.actual) : result.actual
      if limit.measure == .time ? old >= result.actual : old == new { continue }
      let value = limit.measure == .time ? "\"\(duration(new))\"" : "\(new)"
      guard let line = replace(limit.measure.rawValue, in: lines[limit.line - 1], with: value) else {
        continue
      }
      lines[limit.line - 1] = line
      changes += 1
    }
    return (lines.joined(separator: "\n"), changes)
  }

  /// Puts a value behind `key =`; nil where the key does not stand on the line.
  private static func replace(_ key: String, in line: String, with value: String) -> String? {
    let places: [Range<String.Index>] = line.ranges(of: key)
    for place in places.reversed() {
      let rest: String = String(line[place.upperBound...]).trimmed
      guard rest.hasPrefix("=") else { continue }
      let old = String(rest.dropFirst()).trimmed
      let tail = old.drop { $0.isNumber || $0.isLetter || $0 == "\"" || $0 == "." || $0 == "_" }
      return String(line[..<place.upperBound]) + " = " + value + String(tail)
    }
    return nil
  }

  /// Times differ from run to run: half as much again.
  private static func roomy(_ time: UInt64) -> UInt64 { time.addingClamped(time / 2) }

  private static func duration(_ time: UInt64) -> String {
    func up(_ unit: UInt64) -> UInt64 { time / unit + (time % unit > 0 ? 1 : 0) }
    return time < 1_000_000 ? "\(up(1000))us" : "\(up(1_000_000))ms"
  }

  /// A name as a key of TOML.
  private static func key(_ name: String) -> String {
    let isBare =
      !name.isEmpty
      && name.utf8.allSatisfy {
        switch $0 {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
      }
    if isBare { return name }
    var output = "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": output += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }
}
