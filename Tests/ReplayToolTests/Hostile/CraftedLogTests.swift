import Foundation
import LogGenerator
import Testing

@testable import EventLog
@testable import ReplayTool

/// Logs that no session writes, with correct checksums.
@Suite struct CraftedLogTests {
  @Test func aSpliceThatDeletesMoreThanNumbersCountIsRefused() throws {
    let workspace = try Workspace()
    for (value, insert) in [(#""abc""#, #""q""#), ("[1,2]", "[3]")] {
      let lines = """
        {"kind":"set","path":"a.x","value":\(value)}
        {"kind":"splice","path":"a.x","offset":1,"delete":9223372036854775807,"insert":\(insert)}

        """
      let file = try workspace.write(lines)
      let run = ToolRun("import", file, "-o", workspace.file("out.evlog"))
      #expect(run.status == .refused)
      #expect(run.errors.hasPrefix("\(file):2:") && run.errors.contains("do not fit"), "\(run.errors)")

      let log = workspace.file("splice.evlog")
      let writer = try LogWriter(creating: log, options: LogOptions.replacingExisting)
      for line in lines.split(separator: "\n") {
        try writer.append(try ParsedEvent(parsing: String(line)).body, time: 0)
      }
      try writer.close()
      #expect(ToolRun("info", log).status == .done)
      for form in ["jsonl", "sqlite"] {
        let export = ToolRun("export", log, "--format", form, "-o", workspace.file("out"))
        #expect(export.status == .refused)
        #expect(export.errors.contains("event 2 does not fit the events before it"), "\(export.errors)")
        #expect(!workspace.files.contains { $0.hasPrefix("out") }, "\(workspace.files)")
      }
    }
  }

  @Test func aBrokenChainIsDamageWhoeverReadsIt() throws {
    let workspace = try Workspace()
    let path = try workspace.marks(40, to: "run.evlog")
    var log = try RemadeLog(path)
    let whole = workspace.file("whole.evlog")
    try Data(log.bytes()).write(to: URL(filePath: whole))
    #expect(ToolRun("export", whole).lines.count == 40)
    log.blocks[2].breaksChain = true
    let broken = workspace.file("broken.evlog")
    try Data(log.bytes()).write(to: URL(filePath: broken))
    for command in [["verify"], ["export"], ["cascades"], ["timeline"], ["export", "--format", "csv"]] {
      let run = ToolRun([command[0], broken] + command.dropFirst())
      #expect(run.status == .damaged, "\(command): \(run.output)")
      #expect(run.errors.contains("does not follow the one before it"), "\(command): \(run.errors)")
      #expect(run.errors.contains("8 events before it read"), "\(command): \(run.errors)")
    }
    #expect(ToolRun("export", broken).lines.count == 8)
  }

  @Test func aWrongIndexChangesNoOutput() throws {
    let workspace = try Workspace()
    let path = try workspace.marks(40, to: "run.evlog")
    let right = try RemadeLog(path).bytes()
    let log = workspace.file("log.evlog")
    let runs =
      [["diff", log, log], ["state", log, "--at", "20"], ["timeline", log, "--from", "20"]]
      + ["export", "timeline", "cascades", "state", "hot", "lint"].map { [$0, log] }
      + [[], ["--from", "20"], ["--from", "0.02ms"]].map { ["export", log, "--format", "csv"] + $0 }
    try Data(right).write(to: URL(filePath: log))
    let expected = runs.map { ToolRun($0) }
    let index = try #require(LogReader(path: log).blocks.last)
    let frame = Array(right[Int(index.offset)..<Int(index.endOffset)])
    let payload = try #require(ZstdDecompressor()).content(of: frame, size: index.payloadSize)
    // One event more in the second block, and one fewer in the third.
    var wrong = right
    var body = Array(payload[LogFormat.prefixSize...])
    var counts = 0..<0
    try BlockColumns.forEach(in: payload) { number, range in
      if number == IndexColumn.eventCounts.rawValue { counts = range }
    }
    body[counts.lowerBound - LogFormat.prefixSize + 2] += 1
    body[counts.lowerBound - LogFormat.prefixSize + 3] -= 1
    var prefix = try BlockPrefix(decoding: payload)
    prefix.bodyHash = XXH64.hash(body)
    let made = try #require(ZstdCompressor(level: 1)?.frame(prefix.encoded() + body))
    var table = SeekTable()
    for block in try LogReader(path: log).blocks.dropLast() {
      table.append(
        compressedSize: block.compressedSize, payloadSize: block.payloadSize, payloadHash: block.payloadHash)
    }
    table.append(
      compressedSize: made.count, payloadSize: payload.count,
      payloadHash: XXH64.hash(prefix.encoded() + body))
    wrong.replaceSubrange(Int(index.offset)..., with: try made + #require(table.encoded()))
    try Data(wrong).write(to: URL(filePath: log))
    #expect(try LogReader(path: log).indexUse == .believed)
    for (arguments, expected) in zip(runs, expected) {
      let run = ToolRun(arguments)
      #expect(run.output == expected.output, "\(arguments) \(run.errors)")
      #expect(run.status == expected.status, "\(arguments) \(run.errors)")
    }
    let verify = ToolRun("verify", log)
    #expect(verify.status == .found && verify.output.contains("the index says that this block has"))
  }

  @Test func infoShowsTheFirstOfMuchMetadata() throws {
    let workspace = try Workspace()
    let log = workspace.file("run.evlog")
    var options = LogOptions()
    options.metadata = Dictionary(uniqueKeysWithValues: (100..<250).map { ("key\($0)", "value") })
    try LogWriter(creating: log, options: options).close()
    let text = ToolRun("info", log).output
    for (key, isShown) in [("key100", true), ("key199", true), ("key200", false), ("key249", false)] {
      #expect(text.contains(key) == isShown, "\(key): \(text)")
    }
    #expect(text.contains("and 50 more lines of metadata"), "\(text)")
    #expect(ToolRun("info", log, "--format", "json").output.contains(#""key249":"value""#))
  }

  @Test func infoSaysWhetherItBelievedTheIndex() throws {
    let workspace = try Workspace()
    let log = try workspace.marks(40, to: "run.evlog")
    #expect(ToolRun("info", log).output.contains("opened by it"))
    var bytes = try Data(contentsOf: URL(filePath: log))
    // The size of the last block in the seek table.
    bytes[bytes.count - 21] ^= 1
    try bytes.write(to: URL(filePath: log))
    let run = ToolRun("info", log)
    #expect(run.output.contains("does not agree with the blocks: read without it"), "\(run.output)")
    #expect(run.output.contains("not closed"), "\(run.output)")
  }

  @Test func infoSaysDamagedWhereTheLogIs() throws {
    let workspace = try Workspace()
    let log = try workspace.marks(40, to: "run.evlog")
    let blocks = try LogReader(path: log).blocks
    var bytes = try Data(contentsOf: URL(filePath: log))
    bytes.removeSubrange(Int(blocks[2].offset)..<Int(blocks[2].endOffset))
    try bytes.write(to: URL(filePath: log))
    let run = ToolRun("info", log)
    #expect(run.output.contains("damaged: "), "\(run.output)")
    #expect(ToolRun("info", log, "--format", "json").output.contains(#""state":"damaged""#))
  }
}

extension Workspace {
  /// A log of marks and sets in blocks of eight events.
  func marks(_ count: Int, to name: String) throws -> String {
    var options = LogOptions.replacingExisting
    options.blockEvents = 8
    options.flushInterval = .seconds(3600)
    let writer = try LogWriter(creating: file(name), options: options)
    for seq in 1...count {
      let body: Event.Body =
        seq % 2 == 0
        ? .mark(label: "\(seq)") : .set(try Path(parsing: "a.x"), .int(Int64(seq)), sameValue: false)
      try writer.append(body, time: UInt64(seq) * 1000)
    }
    try writer.close()
    return file(name)
  }
}
