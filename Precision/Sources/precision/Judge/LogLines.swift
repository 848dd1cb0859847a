import Foundation

/// A log as lines of text: its times are put right, and its runs are counted, without the tool's own analyses.
struct LogLines {
  private let bytes: [UInt8]

  init(_ url: URL) throws { bytes = [UInt8](try Data(contentsOf: url)) }

  /// The lines with the time that the person let go by, and the cost of the run.
  func stretched(by recorded: Recorded) throws -> (lines: Data, cost: Cost) {
    guard let launch = launchTime() else {
      throw Trouble(description: "the log lacks its mark of the launch")
    }
    let jumps = recorded.jumps.map { jump in
      (at: launch + (jump.at - recorded.launch).nanoseconds, by: jump.by.nanoseconds)
    }
    var result = Data(capacity: bytes.count + bytes.count / 16)
    var cost = Cost()
    var (next, shift) = (0, 0)
    forEachLine { line in
      guard let time = number(after: Self.timeKey, in: line) else {
        return result.append(contentsOf: bytes[line])
      }
      while next < jumps.count, jumps[next].at <= time.value {
        shift += jumps[next].by
        next += 1
      }
      if has(Self.evaluation, at: time.digits.upperBound) {
        cost.runs += 1
        cost.time += number(after: Self.durationKey, in: time.digits.upperBound..<line.upperBound)?.value ?? 0
      }
      result.append(contentsOf: bytes[line.lowerBound..<time.digits.lowerBound])
      result.append(contentsOf: String(time.value + shift).utf8)
      result.append(contentsOf: bytes[time.digits.upperBound..<line.upperBound])
    }
    return (result, cost)
  }

  // An event begins with its number, its time and its kind, before any text of the app that could look like these.
  private static let timeKey = Array(#","time_ns":"#.utf8)
  private static let durationKey = Array(#","duration_ns":"#.utf8)
  private static let evaluation = Array(#","kind":"evaluate","#.utf8)
  private static let launch = Array(#","kind":"mark","label":"\#(Recorded.launchLabel)""#.utf8)

  private func launchTime() -> Int? {
    var found: Int?
    forEachLine { line in
      guard found == nil, let time = number(after: Self.timeKey, in: line) else { return }
      if has(Self.launch, at: time.digits.upperBound) { found = time.value }
    }
    return found
  }

  /// The first number after a key, and where its digits are.
  private func number(after key: [UInt8], in line: Range<Int>) -> (value: Int, digits: Range<Int>)? {
    let last = line.upperBound - key.count
    guard line.lowerBound < last, let found = (line.lowerBound..<last).first(where: { has(key, at: $0) })
    else { return nil }
    let start = found + key.count
    var (end, value) = (start, 0)
    while end < line.upperBound, (48...57).contains(bytes[end]) {
      value = value * 10 + Int(bytes[end] - 48)
      end += 1
    }
    return end > start ? (value, start..<end) : nil
  }

  private func has(_ key: [UInt8], at position: Int) -> Bool {
    guard position + key.count <= bytes.count, bytes[position] == key[0] else { return false }
    return bytes[position..<position + key.count].elementsEqual(key)
  }

  /// Each line with its end.
  private func forEachLine(_ body: (Range<Int>) -> Void) {
    var start = 0
    while start < bytes.count {
      let end = endOfLine(from: start)
      body(start..<end)
      start = end
    }
  }

  private func endOfLine(from start: Int) -> Int {
    bytes.withUnsafeBytes { all in
      guard let first = all.baseAddress, let found = memchr(first + start, 10, all.count - start) else {
        return all.count
      }
      return UnsafeRawPointer(found) - first + 1
    }
  }
}

extension Duration {
  fileprivate var nanoseconds: Int {
    Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
  }
}
