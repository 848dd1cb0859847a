@testable import EventLog

/// Recovers a damaged log, and then the result once more.
enum RecoveryTarget: FuzzTarget {
  static let name = "recovery"
  private static let path = "run.evlog"

  static func run(_ input: [UInt8]) {
    let original = Recipe(input)?.bake() ?? input
    let disk = FuzzedFileSystem([path: original])
    let recovery: LogRecovery
    do { recovery = try LogRecovery.recover(path, in: disk) } catch {
      ReaderTarget.check(error)
      expect(disk.contents == [path: original], "refused, and changed: \(error)")
      return
    }
    let files = disk.contents
    checkNothingIsGone(original, files, recovery)
    for log in recovery.logs { check(log, in: disk) }
    do {
      let again = try LogRecovery.recover(path, in: disk)
      expect(again.logs == recovery.logs, "\(again.logs) the second time, \(recovery.logs) before")
    } catch { fatalError("the second time: \(error)") }
    expect(disk.contents == files, "the second time changes \(files.keys) to \(disk.contents.keys)")
  }

  /// Whether all differences lie in a frame at the end of both that may be a seek table, which can be rebuilt from the
  /// blocks.
  private static func differ(_ a: [UInt8], inSeekTableOnly b: [UInt8]) -> Bool {
    guard a.count == b.count, let difference = zip(a, b).enumerated().first(where: { $1.0 != $1.1 })?.offset
    else { return false }
    func number(_ offset: Int) -> UInt32 {
      b[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    return (0..<max(0, difference - 7)).contains { offset in
      number(offset) == LogFormat.seekTableMagic && offset + 8 + Int(number(offset + 4)) == b.count
    }
  }

  /// Checks that the original is unchanged, or that its end is kept beside it.
  private static func checkNothingIsGone(
    _ original: [UInt8], _ files: [String: [UInt8]], _ recovery: LogRecovery
  ) {
    guard let now = files[path] else { fatalError("the log is gone") }
    switch recovery.outcome {
    case .whole, .salvaged, .nothing: expect(now == original, "\(recovery.outcome), and changed")
    case .completed:
      expect(
        now.starts(with: original) || differ(now, inSeekTableOnly: original),
        "completed, and its bytes changed")
    case .cut:
      let end = Int(recovery.offset ?? 0)
      expect(now.prefix(end) == original.prefix(end), "cut, and what comes before changed")
      let kept = recovery.tornPaths.compactMap { files[$0] }
      expect(kept.contains { $0.elementsEqual(original[end...]) }, "what was cut off at \(end) is gone")
    }
  }

  /// Checks that a log which is reported as whole is whole.
  private static func check(_ log: LogRecovery.Log, in disk: FuzzedFileSystem) {
    guard let bytes = disk.contents[log.path] else { fatalError("there is no \(log.path)") }
    do throws(LogError) {
      let reader = try LogReader(file: FuzzedFile(bytes), path: log.path, scanned: true)
      expect(reader.isClean, "\(log.path) is recovered, and ends so: \(reader.tail)")
      expect(reader.firstSeq == log.firstSeq && reader.nextSeq == log.nextSeq, "\(log.path) has other events")
      for block in reader.blocks { _ = try reader.events(in: block) }
      if log.hasState { _ = try reader.state(at: .max) }
    } catch { fatalError("\(log.path) is recovered and does not open: \(error)") }
  }

  static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
    ReaderTarget.mutate(input, limit: limit, seed: seed)
  }
}
