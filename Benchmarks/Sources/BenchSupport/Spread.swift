import Histogram

/// The least, the median and the greatest of some figures.
package struct Spread {
  package var least: Double
  package var median: Double
  package var greatest: Double

  package init(_ figures: [Double]) {
    // The histogram holds whole numbers: thousandths keep three digits of a ratio.
    var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
    for figure in figures { histogram.record(UInt64(max(0, figure) * 1000)) }
    least = Double(histogram.min) / 1000
    median = Double(histogram.valueAtPercentile(50)) / 1000
    greatest = Double(histogram.max) / 1000
  }

  package func text(unit: String) -> String {
    "\(median.short) \(unit) (\(least.short)–\(greatest.short))"
  }
}

extension Duration {
  package var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}

extension Double {
  /// Three significant digits, or so.
  package var short: String {
    if self >= 100 { return "\(Int(rounded()))" }
    let factor = self >= 10 ? 10.0 : self >= 1 ? 100 : 1000
    return "\((self * factor).rounded() / factor)"
  }
}

extension String {
  package func padded(to width: Int) -> String {
    count >= width ? self : self + String(repeating: " ", count: width - count)
  }
}
