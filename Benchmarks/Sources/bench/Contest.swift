import Histogram

/// Contenders that do the same work, measured in turn in one process.
///
/// Every round runs each contender once, so that a machine that slows down slows all of them; the ratio is
/// taken round by round.
struct Contest {
  /// One way of doing the work.
  struct Contender {
    var name: String
    /// Makes what the work needs, outside the measurement, and returns the work: it does `operations` times
    /// what is measured.
    var prepare: (_ operations: Int) throws -> () -> Void
  }

  var title: String
  /// How often the work is done in one round.
  var operations: Int
  /// The one that the others are compared with, then the others.
  var contenders: [Contender]

  /// Measures, and prints a line for each contender.
  func run(rounds: Int) throws {
    let clock = ContinuousClock()
    var times = [[Double]](repeating: [], count: contenders.count)
    for round in 0...rounds {
      for (number, contender) in contenders.enumerated() {
        let work = try contender.prepare(operations)
        let elapsed = clock.measure { work() }
        // The first round warms up.
        if round > 0 { times[number].append(elapsed.nanoseconds / Double(operations)) }
      }
    }
    print("\n\(title)")
    for (number, contender) in contenders.enumerated() {
      let spread = Spread(times[number])
      var line = "  \(contender.name.padded(to: 46)) \(spread.text(unit: "ns"))"
      if number > 0 {
        let ratios = zip(times[number], times[0]).map { $0 / $1 }
        line += "   ratio \(Spread(ratios).text(unit: "x"))"
      }
      print(line)
    }
  }
}

/// The least, the median and the greatest of some figures.
struct Spread {
  var least: Double
  var median: Double
  var greatest: Double

  init(_ figures: [Double]) {
    // The histogram holds whole numbers: thousandths keep three digits of a ratio.
    var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
    for figure in figures { histogram.record(UInt64(max(0, figure) * 1000)) }
    least = Double(histogram.min) / 1000
    median = Double(histogram.valueAtPercentile(50)) / 1000
    greatest = Double(histogram.max) / 1000
  }

  func text(unit: String) -> String {
    "\(median.short) \(unit) (\(least.short)–\(greatest.short))"
  }
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}

extension Double {
  /// Three significant digits, or so.
  var short: String {
    if self >= 100 { return "\(Int(rounded()))" }
    let factor = self >= 10 ? 10.0 : self >= 1 ? 100 : 1000
    return "\((self * factor).rounded() / factor)"
  }
}

extension String {
  func padded(to width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }
}
