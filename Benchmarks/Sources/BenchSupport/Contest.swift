import Foundation

/// Contenders that do the same work, measured in turn in one process.
///
/// Every round runs each contender once, so that a machine that slows down slows all of them; the ratio is
/// taken round by round.
package struct Contest {
  /// One way of doing the work.
  package struct Contender {
    package var name: String
    /// Sets up, outside the measurement, and returns the work, which does what is measured `operations` times.
    package var prepare: (_ operations: Int) throws -> () throws -> Void
    /// A note on the last round, printed beside its time.
    package var note: (() -> String)?

    package init(
      name: String, note: (() -> String)? = nil,
      prepare: @escaping (_ operations: Int) throws -> () throws -> Void
    ) {
      self.name = name
      self.note = note
      self.prepare = prepare
    }
  }

  package var title: String
  /// How often the work is done in one round.
  package var operations: Int
  /// The number of elements that each operation works on; nil if the time an element is not of interest.
  package var elements: Int?
  /// The first contender is the one that the others are compared with.
  package var contenders: [Contender]

  package init(title: String, operations: Int, elements: Int? = nil, contenders: [Contender]) {
    self.title = title
    self.operations = operations
    self.elements = elements
    self.contenders = contenders
  }

  /// Measures, and prints a line for each contender.
  package func run(rounds: Int) throws {
    let clock = ContinuousClock()
    var times = [[Double]](repeating: [], count: contenders.count)
    for round in 0...rounds {
      for (number, contender) in contenders.enumerated() {
        let work = try contender.prepare(operations)
        let elapsed = try clock.measure { try work() }
        // The first round warms up.
        if round > 0 { times[number].append(elapsed.nanoseconds / Double(operations)) }
      }
    }
    print("\n\(title)")
    for (number, contender) in contenders.enumerated() {
      let spread = Spread(times[number])
      var line = "  \(contender.name.padded(to: 46)) \(spread.text(unit: "ns"))"
      if let elements { line += "   \((spread.median / Double(elements)).short) ns an element" }
      if number > 0 {
        let ratios = zip(times[number], times[0]).map { $0 / $1 }
        line += "   ratio \(Spread(ratios).text(unit: "x"))"
      }
      if let note = contender.note { line += "   \(note())" }
      printNow(line)
    }
  }
}

/// Prints a line at once, also where the output is a file: a table takes minutes.
package func printNow(_ line: String) {
  print(line)
  fflush(nil)
}
