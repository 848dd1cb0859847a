import LogGenerator
import PythonReader
import Testing

@testable import EventLog

/// A block that shows a detail of FORMAT.md which a reader might get wrong, and its events.
private struct TrueBlock: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let body: [UInt8]
  let events: Int
  let lines: [String]

  init(_ what: String, _ columns: [(Int, [UInt8])], _ lines: [String]) {
    testDescription = what
    body = columns.flatMap { number, bytes in
      var out: [UInt8] = []
      out.appendVarint(number)
      out.appendVarint(bytes.count)
      return out + bytes
    }
    events = lines.count
    self.lines = lines.enumerated().map { "{\"seq\":\($0.offset + 1),\($0.element)}" }
  }

  /// Events with no fields but a time.
  private static func ends(_ times: UInt64...) -> [String] {
    times.map { "\"time_ns\":\($0),\"kind\":\"end\"" }
  }

  /// Runs of `P` with length zero.
  private static func runs(_ facts: String...) -> [String] {
    facts.map { #""time_ns":0,"kind":"evaluate","projection":"P","duration_ns":0"# + $0 }
  }

  private static func sets(_ values: (path: String, value: String)...) -> [String] {
    values.map { "\"time_ns\":0,\"kind\":\"set\",\"path\":\"\($0.path)\",\"value\":\($0.value)" }
  }

  private static let longest: [UInt8] = Array(repeating: 0xFF, count: 9) + [1]
  /// Paths `a` and, below it, one of each kind of name: `a.b` as a property, and as a key.
  private static let names: [(Int, [UInt8])] = [
    (1, [1, 1, 1]), (2, Array("a b".utf8)), (3, [0, 2, 2, 4]), (4, [1, 1, 1]), (5, [0, 2, 1, 2]),
  ]

  static let all: [TrueBlock] = [
    TrueBlock("times wrap at 64 bits", [(6, [9, 9]), (8, [1, 4])], ends(.max, 1)),
    TrueBlock(
      "a time scale wraps too", [(6, [9, 9]), (7, longest.dropLast() + [0]), (8, [4, 2])],
      ends(.max - 1, (UInt64.max - 1) &+ UInt64(Int64.max))),
    TrueBlock("a number may be longer than it must", [(6, [9]), (8, [0x82, 0x80, 0])], ends(1)),
    TrueBlock("columns that nothing takes from may be empty", [(6, [9]), (15, [])], ends(0)),
    TrueBlock("and packed", [(6, [9]), (79, [1, 0])], ends(0)),
    TrueBlock("a packed column", [(6, [9, 9, 9, 9]), (72, [2, 2, 1, 2])], ends(0, 0, 1, 1)),
    TrueBlock(
      "what cannot be packed or is not known is skipped with 64 added as well",
      [(6, [9]), (85, [3]), (86, [0xFF]), (39, [1, 2]), (40, [7]), (124, []), (1000, [5])], ends(0)),
    TrueBlock(
      "a number that is not known is ordered without 64 as well",
      [(6, [9]), (101, [1]), (102, []), (103, [2]), (40, [7]), (128, []), (193, [3]), (130, [])], ends(0)),
    TrueBlock(
      "a 0 among the numbers of a packed column is one of them",
      [(6, [9, 9, 9, 9]), (72, [3, 1, 1, 0, 0, 2])], ends(0, 0, 0, 1)),
    TrueBlock(
      "a property is plain where it can be, and a key never",
      names + [(6, [0, 0, 0]), (11, [1, 2, 3]), (22, [0, 0, 0])],
      sets(("a.b", "null"), (#"a[\" \"]"#, "null"), (#"a[\"b\"]"#, "null"))),
    TrueBlock(
      "the context of a key is its place in the table of strings, not what it says",
      [
        (1, [1, 1]), (2, Array("kk".utf8)), (3, [0]), (6, [0, 0, 0]), (22, [9, 3, 9, 3, 9, 3]),
        (23, [10, 10, 2]), (27, [1, 1, 1]), (28, [0, 1, 0]),
      ], sets(("k", "{\"k\":5}"), ("k", "{\"k\":5}"), ("k", "{\"k\":6}"))),
    TrueBlock(
      "and that of a path its place in the table of paths",
      [
        (1, [1]), (2, Array("k".utf8)), (3, [0, 0]), (6, [0, 0, 0]), (11, [0, 1, 0]), (22, [3, 3, 3]),
        (23, [10, 10, 2]),
      ], sets(("k", "5"), ("k", "5"), ("k", "6"))),
    TrueBlock(
      "a change of reads has two lists in one column",
      [
        (1, [1, 1, 1]), (2, Array("Pab".utf8)), (3, [0, 0]), (5, [1, 2]), (6, [0x14, 4, 0x14]),
        (16, [1, 2, 1, 0, 1]), (17, [2, 1, 0, 2, 0]),
      ],
      [
        "\"time_ns\":0,\"kind\":\"reads\",\"projection\":\"P\",\"added\":[\"b\"],\"dropped\":[\"a\",\"a\"]",
        "\"time_ns\":0,\"kind\":\"reads\",\"projection\":\"P\",\"paths\":[\"b\"]",
        "\"time_ns\":0,\"kind\":\"reads\",\"projection\":\"P\",\"dropped\":[\"b\"]",
      ]),
    TrueBlock(
      "and one that changes nothing takes nothing",
      [(1, [1]), (2, Array("P".utf8)), (6, [0x14])],
      ["\"time_ns\":0,\"kind\":\"reads\",\"projection\":\"P\",\"added\":[]"]),
    TrueBlock(
      "an unsigned integer that a signed one can hold is one",
      [(1, [1]), (2, Array("k".utf8)), (3, [0]), (6, [0]), (22, [4]), (24, [5])], sets(("k", "5"))),
    TrueBlock(
      "a name may be longer than this writer takes one",
      [(1, [0xF0, 0xA2, 4]), (2, Array(repeating: 0x6B, count: 70_000)), (3, [0]), (6, [2])],
      ["\"time_ns\":0,\"kind\":\"remove\",\"path\":\"\(String(repeating: "k", count: 70_000))\""]),
    TrueBlock(
      "the offset of a splice wraps at 64 bits",
      [
        (1, [1]), (2, Array("k".utf8)), (3, [0]), (6, [1]), (20, longest),
        (21, [0xF0] + ([0xF0] + Array(repeating: 0xFF, count: 7) + [0x7F])), (22, [6]),
      ],
      [
        #""time_ns":0,"kind":"splice","path":"k","offset":1,"delete":9223372036854775807,"insert":"""#
      ]),
    TrueBlock(
      "causes of an invalidation stand in their order, and may come twice",
      [(1, [1]), (2, Array("P".utf8)), (6, [9, 9, 5]), (9, [0, 0, 2]), (18, [3]), (19, [1, 2, 1])],
      ends(0, 0) + [#""time_ns":0,"kind":"invalidate","projection":"P","causes":[2,1,2],"cause":2"#]),
    TrueBlock(
      "only runs have inputs",
      [(1, [1]), (2, Array("P".utf8)), (6, [6, 9, 0x16, 0x26]), (34, [1, 0, 2])],
      runs(#","input":"same""#) + ends(0) + runs(#","changed":false"#, #","changed":true,"input":"changed""#)),
    TrueBlock(
      "inputs may be packed", [(1, [1]), (2, Array("P".utf8)), (6, [6, 6, 6]), (98, [2, 2, 0, 2])],
      runs("", "", #","input":"changed""#)),
    TrueBlock(
      "only runs have a part that went into comparing, which may be over the whole and may be packed",
      [(1, [1]), (2, Array("P".utf8)), (6, [6, 9, 0x16, 6]), (100, [2, 1, 1, 7])],
      runs("") + ends(0) + runs(#","changed":false,"comparing_ns":7"#, "")),
  ]
}

@Suite struct FormatDetailTests {
  @Test(arguments: TrueBlock.all) private func blocksReadAsTheFormatDefines(block: TrueBlock) throws {
    let reader = try LogReader(file: log(block.body, events: block.events), path: "detail")
    #expect(try reader.allEvents().map { $0.json() } == block.lines)
    var (printer, output, row) = (RowPrinter(), [UInt8](), Row())
    try reader.forEachBlock { _, rows in
      while try rows.next(&row) {
        printer.append(row, of: rows, to: &output, statesSameValue: false)
        output.append(0x0A)
      }
    }
    #expect(String(decoding: output, as: UTF8.self) == block.lines.map { $0 + "\n" }.joined())
  }

  @Test(.enabled(if: PythonReader.isAvailable, "\(PythonReader.isMissing)"))
  func blocksReadAsTheFormatDefinesInPython() throws {
    let files = try TrueBlock.all.map { block in
      let file = try TemporaryFile()
      try file.write(log(block.body, events: block.events).bytes)
      return file
    }
    let answer = try PythonReader.read(files.map(\.path), withState: false)
    // None of these logs was closed.
    #expect(!answer.errors.contains("damaged"), "\(answer.errors)")
    for (block, lines) in zip(TrueBlock.all, answer.lines) {
      #expect(lines.map(String.init) == block.lines, "\(block.testDescription)")
    }
  }

  /// The maximum number of values in a packed column, and one more.
  @Test(arguments: [(1_114_111, true), (1_114_112, false)])
  func aPackedColumnOf1114112NumbersIsRefused(count: Int, isGood: Bool) throws {
    var runs: [UInt8] = []
    runs.appendVarint(count)
    var packed: [UInt8] = []
    packed.appendVarint(runs.count)
    packed += runs
    #expect((try? PackedColumn.unpack(packed, in: 0..<packed.count))?.count == (isGood ? count : nil))
    let unpack = "import columns; print(len(columns.unpack(8, bytes(\(packed)))))"
    if PythonReader.isAvailable {
      let answer = try PythonReader.evaluate(unpack)
      #expect(isGood ? answer == "\(count)\n" : answer.contains("Fault"))
    }
  }

  @Test(arguments: [(65_536, true), (65_537, false)])
  func namesOfMoreThan65536BytesAreRefused(count: Int, isGood: Bool) throws {
    let writer = try LogWriter(file: MemoryFile(), path: "names")
    let name = String(repeating: "n", count: count)
    for body: Event.Body in [
      .mark(label: name), .dispose(projection: name), .remove(Path(root: .named(name)), sameValue: false),
    ] {
      let seq = try? writer.append(body, time: 0)
      #expect((seq != nil) == isGood, "\(body.kind)")
    }
    try writer.close()
  }

  /// A path of a root and 15 steps with names of a mebibyte each, and one with a byte more.
  @Test(arguments: [true, false]) func namesOfAPathOfMoreThan16MiBAreRefused(isGood: Bool) throws {
    var body: [UInt8] = []
    func add(_ column: Column, _ bytes: [UInt8]) {
      body.appendVarint(column.rawValue)
      body.appendVarint(bytes.count)
      body += bytes
    }
    var lengths: [UInt8] = []
    lengths.appendVarint(1 << 20)
    lengths.appendVarint(1)
    let steps = isGood ? 15 : 16
    add(.stringLengths, lengths)
    add(.stringBytes, Array(repeating: 0x6B, count: (1 << 20) + 1))
    add(.pathKinds, [0] + Array(repeating: 2, count: steps))
    add(.pathParents, Array(repeating: 0, count: steps))
    add(.pathOperands, Array(repeating: 0, count: 16) + (isGood ? [] : [1]))
    add(.kinds, [EventKind.remove.rawValue])
    let file = try log(body, events: 1)
    let events = try? LogReader(file: file, path: "names").allEvents()
    #expect((events?.count == 1) == isGood)
    if PythonReader.isAvailable {
      let disk = try TemporaryFile()
      try disk.write(file.bytes)
      let answer = try PythonReader.read([disk.path], withState: false)
      #expect((answer.lines.first?.count == 1) == isGood, "\(answer.errors)")
    }
  }

  @Test func theLastSeqLeavesRoomForOneMore() throws {
    for (seq, isGood) in [(UInt64.max - 2, true), (.max - 1, false)] {
      var made = try HandMadeLog()
      made.nextSeq = seq
      try made.addHeader()
      try made.addEnds(2)
      let reader = try LogReader(file: made.file, path: "late")
      let seqs = try? reader.allEvents().map(\.seq)
      #expect(isGood ? seqs == [.max - 2, .max - 1] : seqs == nil)
      guard PythonReader.isAvailable else { continue }
      let file = try TemporaryFile()
      try file.write(made.bytes)
      let answer = try PythonReader.read([file.path], withState: false)
      #expect(answer.errors.contains("damaged") == !isGood)
    }
  }

  /// The state before a file's first event is in a whole checkpoint, or nowhere; the events are read in
  /// either case.
  @Test func aFileThatBeginsLateNeedsAWholeCheckpoint() throws {
    func checkpoint(_ kinds: [UInt8]) -> [UInt8] {
      [1, 1, 10, 2, 10] + Array("checkpoint".utf8) + [6, UInt8(kinds.count)] + kinds
    }
    let cases: [(what: String, blocks: [[UInt8]], isWhole: Bool)] = [
      ("none", [], false), ("one of one block", [checkpoint([0x18, 9])], true),
      ("one of two", [checkpoint([0x18]), checkpoint([9])], true),
      ("one within a transaction", [checkpoint([8, 8, 0x18, 8, 9, 9])], true),
      ("one that does not end", [checkpoint([0x18])], false),
      ("one that ends twice", [checkpoint([0x18, 9, 9])], false),
      ("one that goes on", [checkpoint([0x18, 9, 8])], false),
      ("one that does not begin", [checkpoint([8, 9])], false),
      ("one that is false", [checkpoint([0x18, 15, 9])], false), ("one of nothing", [[]], false),
    ]
    var files: [TemporaryFile] = []
    for (what, blocks, isWhole) in cases {
      var made = try HandMadeLog()
      made.nextSeq = 5
      try made.addHeader()
      for block in blocks { try made.add(kind: BlockKind.checkpoint, block) }
      try made.addEnds(1)
      let reader = try LogReader(file: made.file, path: "late")
      #expect(try reader.allEvents().map(\.seq) == [5], "\(what)")
      if isWhole {
        _ = try reader.state(at: 5)
      } else {
        #expect(throws: LogError.self, "\(what)") { try reader.state(at: 5) }
      }
      files.append(try TemporaryFile())
      try files[files.count - 1].write(made.bytes)
    }
    guard PythonReader.isAvailable else { return }
    let answer = try PythonReader.read(files.map(\.path))
    for ((what, _, isWhole), lines) in zip(cases, answer.lines) {
      #expect(lines.isEmpty == !isWhole, "\(what)")
    }
    #expect(try PythonReader.read(files.map(\.path), withState: false).lines.allSatisfy { $0.count == 1 })
  }

  /// The bytes after the last whole block decide between an unfinished end and damage.
  @Test func bothReadersDistinguishATornEndFromDamage() throws {
    var made = try HandMadeLog()
    try made.addHeader()
    let start = made.bytes.count
    try made.addEnds(1)
    let block = Array(made.bytes[start...])
    var other = try HandMadeLog()
    other.salt = 8
    try other.addHeader()
    // A frame of one byte without a checksum, which every block has.
    let unchecked: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 9, 0, 0, 0x41]
    let cases: [(what: String, bytes: [UInt8], isDamaged: Bool)] = [
      ("the beginning of a frame", [0x28, 0xB5, 0x2F], false),
      ("zeros", Array(repeating: 0, count: 100), false),
      ("a block with a wrong checksum", block.dropLast() + [block[block.count - 1] ^ 1], true),
      ("a block without its end", Array(block.dropLast()), false), ("a block again", block, true),
      ("a block again behind something", [1, 2, 3] + block, true),
      ("a block of another log", other.bytes, true),
      ("a block of another log behind something", [1, 2, 3] + other.bytes, false),
      ("a whole frame that no log has", unchecked, true),
      ("the beginning of a frame that no log has", unchecked.dropLast(), false),
      ("a skippable frame that is not whole", [0x50, 0x2A, 0x4D, 0x18, 9, 0, 0, 0, 1], false),
    ]
    var files: [TemporaryFile] = []
    for (what, bytes, isDamaged) in cases {
      let file = MemoryFile(made.bytes + bytes)
      switch try LogReader(file: file, path: "end").tail {
      case .torn: #expect(!isDamaged, "\(what)")
      case .damaged: #expect(isDamaged, "\(what)")
      case .clean, .open: Issue.record("\(what)")
      }
      files.append(try TemporaryFile())
      try files[files.count - 1].write(made.bytes + bytes)
    }
    guard PythonReader.isAvailable else { return }
    let errors = try PythonReader.read(files.map(\.path)).errors
    for ((what, _, isDamaged), file) in zip(cases, files) {
      #expect(errors.contains("\(file.path): \(isDamaged ? "damaged" : "torn") at byte"), "\(what)")
    }
  }

  /// JSON headers, and headers that are not JSON; both readers agree on them.
  @Test func aHeaderIsAnObjectOfJSON() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "{\"a\":", count: depth - 1) + "1" + String(repeating: "}", count: depth - 1)
    }
    let cases: [(String, Bool)] = [
      ("{}", true), (" { } \n", true),
      (#"{"program":"a\u00e9\/\ud83d\ude00","x":[1,-2.5e3,null,true,{}]}"#, true),
      (#"{"created_unix_ns":123456789012345678901234567890,"y":1e999}"#, true), (nested(16), true),
      (nested(17), false), ("", false), ("[]", false), ("1", false), (#"{"a":b}"#, false),
      (#"{"a":01}"#, false),
      (#"{"a":NaN}"#, false), (#"{"a":1,}"#, false), (#"{"a":[1,]}"#, false), (#"{"a":"\q"}"#, false),
      ("{\"a\":\"\n\"}", false), (#"{"a":"\ud83d"}"#, false), (#"{"a":"\ude00"}"#, false),
      (#"{"a":1} {}"#, false),
      ("\u{FEFF}{}", false), (#"{"a":1.}"#, false), (#"{'a':1}"#, false),
    ]
    var files: [TemporaryFile] = []
    for (header, isGood) in cases {
      var made = try HandMadeLog()
      try made.add(kind: BlockKind.header, Array(header.utf8))
      try made.addEnds(1)
      let events = try? LogReader(file: made.file, path: "header").allEvents()
      #expect((events?.count == 1) == isGood, "\(header)")
      files.append(try TemporaryFile())
      try files[files.count - 1].write(made.bytes)
    }
    guard PythonReader.isAvailable else { return }
    let answer = try PythonReader.read(files.map(\.path), withState: false)
    for ((header, isGood), lines) in zip(cases, answer.lines) {
      #expect((lines.count == 1) == isGood, "\(header)")
    }
  }

  @Test(.enabled(if: PythonReader.hasPython, "\(PythonReader.isMissing)"))
  func whichCharactersANameHasPlainlyDependsOnNoVersionOfUnicode() throws {
    let plain = try PythonReader.evaluate(
      """
      import lines
      print("".join("01"[lines.is_plain("a" + chr(code))] for code in range(0x110000) if code >> 11 != 27))
      """)
    let scalars = (0...UInt32(0x10FFFF)).lazy.compactMap { Unicode.Scalar($0) }
    var index = plain.utf8.startIndex
    var (differing, plainCount): ([UInt32], Int) = ([], 0)
    for scalar in scalars {
      let isPlain = "a\(Character(scalar))".isPlainName
      if isPlain { plainCount += 1 }
      if isPlain != (plain.utf8[index] == 0x31) { differing.append(scalar.value) }
      index = plain.utf8.index(after: index)
    }
    #expect(differing.isEmpty, "\(differing.prefix(20))")
    // The count is fixed, so that another version of a language or of Unicode must find the same.
    #expect(plainCount == 908_880)
  }
}
