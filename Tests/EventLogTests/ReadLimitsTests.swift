import LogGenerator
import Testing

@testable import EventLog

/// Small files that stand for much: how much a reader lets them take.
@Suite struct ReadLimitsTests {
  private static let small = ReadLimits(memory: 8 << 20)

  /// Appends events to a log in memory.
  private func log(_ body: (LogWriter) throws -> Void) throws -> MemoryFile {
    let file = MemoryFile([])
    var options = LogOptions()
    options.checkpoints = false
    let writer = try LogWriter(file: file, path: "limits", options: options)
    try body(writer)
    try writer.close()
    return file
  }

  private func path(_ text: String) throws -> Path { try Path(parsing: text) }

  private func expectOverLimit(_ file: MemoryFile, _ what: Comment, between seqs: ClosedRange<UInt64>) throws
  {
    let reader = try LogReader(file: file, path: "limits", limits: Self.small)
    let error = #expect(throws: LogError.self, what) { try reader.state(at: .max) }
    #expect(error?.code == .overLimit, what)
    #expect(error?.byteOffset != nil, what)
    let fold = try reader.fold(at: .max)
    let seq = try #require(fold.failure?.seq)
    #expect(seqs.contains(seq), "\(what): \(seq)")
    // Without a limit, or with a higher one, the same log has a state.
    for limits in [nil, ReadLimits(memory: 1 << 30)] {
      let state = try LogReader(file: file, path: "limits", limits: limits).state(at: .max)
      #expect(state.roots.count == 1, what)
    }
  }

  @Test func aStateOfLargeTextsEndsAtTheLimit() throws {
    let text = String(repeating: "z", count: 1 << 20)
    let texts = try log { writer in
      for key in 0..<20 {
        try writer.append(.set(path("a.k\(key)"), .string(text), sameValue: false), time: 0)
      }
    }
    // 4 MiB, and a quarter more at most.
    try expectOverLimit(texts, "properties", between: 4...6)
    let entries = try log { writer in
      try writer.append(.set(path("a.m"), .map([:]), sameValue: false), time: 0)
      for key in 0..<20 {
        try writer.append(.set(path(#"a.m["\#(key)"]"#), .string(text), sameValue: false), time: 0)
      }
    }
    try expectOverLimit(entries, "entries of a map", between: 5...7)
    // The texts replace numbers, which takes another way through the state.
    let replaced = try log { writer in
      for key in 0..<20 { try writer.append(.set(path("a.k\(key)"), 1, sameValue: false), time: 0) }
      for key in 0..<20 {
        try writer.append(.set(path("a.k\(key)"), .string(text), sameValue: false), time: 0)
      }
    }
    try expectOverLimit(replaced, "scalars", between: 24...26)
  }

  @Test func aStateOfSmallPartsEndsAtTheLimit() throws {
    let nulls = Value.array(Array(repeating: .null, count: 100_000))
    let arrays = try log { writer in
      for key in 0..<10 { try writer.append(.set(path("a.k\(key)"), nulls, sameValue: false), time: 0) }
    }
    try expectOverLimit(arrays, "arrays", between: 2...4)
    let objects = try log { writer in
      for number in 0..<100_000 {
        let object = Value.object(
          ObjectDefinition(id: ObjectID(UInt64(number + 1)), type: "Row", fields: ["x": 1]))
        let target = number == 0 ? "a" : "a.k\(number)"
        try writer.append(.set(path(target), object, sameValue: false), time: 0)
      }
    }
    try expectOverLimit(objects, "objects", between: 4_000...40_000)
  }

  @Test func valuesThatReplaceEachOtherStayBelowTheLimit() throws {
    let text = Value.string(String(repeating: "z", count: 1 << 17))
    let file = try log { writer in
      for _ in 0..<80 { try writer.append(.set(path("a.x"), text, sameValue: false), time: 0) }
      for _ in 0..<80 {
        try writer.append(.set(path("a.y"), .array([text]), sameValue: false), time: 0)
        try writer.append(.remove(path("a.y"), sameValue: false), time: 0)
      }
    }
    let reader = try LogReader(file: file, path: "limits", limits: Self.small)
    #expect(try reader.state(at: .max).value(at: path("a.x")) == text)
  }

  @Test func splicesThatMoveMuchEndAtTheLimit() throws {
    let nulls = Value.array(Array(repeating: .null, count: 100_000))
    let arrays = try log { writer in
      try writer.append(.set(path("a.x"), nulls, sameValue: false), time: 0)
      for _ in 0..<1_000 {
        try writer.append(.splice(path("a.x"), offset: 0, delete: 0, insert: [1], sameValue: false), time: 0)
      }
    }
    // Each moves some 2 or 3 MB, and the limit is 256 MiB.
    try expectOverLimit(arrays, "arrays", between: 75...175)
    let texts = try log { writer in
      try writer.append(
        .set(path("a.x"), .string(String(repeating: "x", count: 1 << 21)), sameValue: false), time: 0)
      for _ in 0..<1_000 {
        try writer.append(.splice(path("a.x"), offset: 0, delete: 0, insert: "y", sameValue: false), time: 0)
      }
    }
    try expectOverLimit(texts, "texts", between: 120...135)
  }

  @Test func blocksThatUnpackToMuchEndAtTheLimit() throws {
    var log = try HandMadeLog()
    try log.addHeader()
    // A column that no reader knows.
    var filler: [UInt8] = [6, 1, 9, 60]
    filler.appendVarint(1 << 20)
    filler += [UInt8](repeating: 0, count: 1 << 20)
    for _ in 0..<40 { try log.add(kind: BlockKind.events, filler, events: 1) }
    for isClosed in [false, true] {
      if isClosed {
        try log.addIndex()
        try log.addSeekTable()
      }
      let error = #expect(throws: LogError.self) {
        try LogReader(file: log.file, path: "limits", limits: Self.small)
      }
      #expect(error?.code == .overLimit && error?.byteOffset ?? 0 > 0)
      let reader = try LogReader(file: log.file, path: "limits", limits: ReadLimits(memory: 32 << 20))
      #expect(reader.eventCount == 40)
    }
  }

  @Test func aHeaderOfMuchMetadataEndsAtTheLimit() throws {
    let file = MemoryFile([])
    var options = LogOptions()
    options.metadata = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ("key\($0)", "") })
    let writer = try LogWriter(file: file, path: "limits", options: options)
    try writer.append(.mark(label: "m"), time: 0)
    try writer.ensure(.written)
    for isClosed in [false, true] {
      if isClosed { try writer.close() }
      for isScanned in [false, true] {
        let error = #expect(throws: LogError.self) {
          try LogReader(file: file, path: "limits", scanned: isScanned, limits: Self.small)
        }
        #expect(error?.code == .overLimit && error?.byteOffset == 0, "\(isClosed) \(isScanned)")
        #expect(error?.message.contains("header") == true)
        for limits in [nil, .standard] as [ReadLimits?] {
          let reader = try LogReader(file: file, path: "limits", scanned: isScanned, limits: limits)
          #expect(reader.header.metadata == options.metadata)
          #expect(reader.eventCount == 1)
        }
      }
    }
  }

  @Test func theHeaderOfALaterSegmentCountsToo() throws {
    for isClosed in [false, true] {
      var log = try HandMadeLog()
      var offset: UInt64 = 0
      for program in ["app", String(repeating: "p", count: 40_000)] {
        offset = UInt64(log.bytes.count)
        try log.addHeader(program: program)
        try log.addEnds(3)
        if isClosed {
          try log.addIndex()
          try log.addSeekTable()
        }
      }
      let error = #expect(throws: LogError.self) {
        try LogReader(file: log.file, path: "limits", limits: Self.small)
      }
      #expect(error?.code == .overLimit && error?.byteOffset == offset, "\(isClosed)")
      #expect(try LogReader(file: log.file, path: "limits").eventCount == 6)
    }
  }

  @Test func eventsCountEvenIfTheyTakeNoBytes() throws {
    var log = try HandMadeLog()
    try log.addHeader()
    var kinds: [UInt8] = [6]
    kinds.appendVarint(1 << 16)
    kinds += [UInt8](repeating: EventKind.end.rawValue, count: 1 << 16)
    for _ in 0..<20 { try log.add(kind: BlockKind.events, kinds, events: 1 << 16) }
    let error = #expect(throws: LogError.self) {
      try LogReader(file: log.file, path: "limits", limits: Self.small)
    }
    #expect(error?.code == .overLimit)
  }

  @Test func readsThatListManyPathsEndAtTheLimit() throws {
    // One path of 64 steps, which an event lists a million times.
    var body: [UInt8] = []
    func add(_ column: Column, _ bytes: [UInt8]) {
      body.appendVarint(column.rawValue)
      body.appendVarint(bytes.count)
      body += bytes
    }
    var count: [UInt8] = []
    count.appendVarint(1_000_000)
    add(.stringLengths, [1])
    add(.stringBytes, [0x61])
    add(.pathKinds, [0] + Array(repeating: 2, count: 64))
    add(.pathParents, Array(repeating: 0, count: 64))
    add(.pathOperands, Array(repeating: 0, count: 65))
    add(.kinds, [EventKind.reads.rawValue])
    add(.readCounts, count)
    add(.readPaths, [0x80, 0x01] + Array(repeating: 0, count: 999_999))
    var log = try HandMadeLog()
    try log.addHeader()
    try log.add(kind: BlockKind.events, body, events: 1)
    let reader = try LogReader(file: log.file, path: "limits")
    #expect(reader.eventCount == 1)
    let fold = try reader.fold(at: .max)
    #expect(fold.failure?.error.isOverLimit == true)
  }
}
