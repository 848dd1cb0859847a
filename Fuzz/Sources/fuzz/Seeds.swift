import Foundation

@testable import EventLog

/// Writes the seed corpus: sample logs cut down to a few events, as recipes and as lines.
struct Seeds {
  let directory: String
  /// The number of events of each seed; a fuzzer explores small inputs best.
  private static let eventsMax = 24

  init(directory: String) { self.directory = directory }

  func write(from samples: [String]) throws {
    for sample in samples {
      let name = URL(filePath: sample).deletingPathExtension().lastPathComponent
      let log = try LogReader(path: sample)
      var events: [Event] = []
      for block in log.blocks where events.count < Self.eventsMax * 3 { events += try log.events(in: block) }
      // One seed from the beginning, where objects are defined, and one from the middle, where most events are.
      try write(Array(events.prefix(Self.eventsMax)), name)
    }
    try write(everyKind(), "every-kind")
    try save(Array("not a log".utf8), ReaderTarget.name, "text")
  }

  private func write(_ events: [Event], _ name: String) throws {
    try save(
      Array(events.map { $0.json() }.joined(separator: "\n").utf8), JSONLinesTarget.name, "\(name).jsonl")
    let file = FuzzedFile([])
    var options = LogOptions()
    options.blockEvents = max(1, events.count / 2)
    options.flushInterval = .seconds(3600)
    options.timeUnit = .nanoseconds
    options.checkpointEvents = 8
    options.checkpointBytes = 1
    let writer = try LogWriter(file: file, path: "seed", options: options)
    for event in events { try writer.append(event) }
    try writer.close()
    var recipe = try Recipe(log: LogReader(file: file, path: "seed"), bytes: file.bytes)
    try save(recipe.bytes, ReaderTarget.name, name)
    try save(recipe.asSegments().bytes, ReaderTarget.name, "\(name)-segments")
    recipe.parts.append(Recipe.Part(kind: Recipe.Kind.damage, number: 40_000, plain: [0, 3]))
    try save(recipe.bytes, RecoveryTarget.name, "\(name)-flipped")
    recipe.parts[recipe.parts.count - 1].plain = [1]
    try save(recipe.bytes, RecoveryTarget.name, "\(name)-cut")
  }

  private func save(_ bytes: [UInt8], _ target: String, _ name: String) throws {
    let folder = URL(filePath: directory).appending(path: target)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: folder.appending(path: name))
  }

  /// Events of every kind, with every value and every step of a path, many of which no sample has.
  private func everyKind() throws -> [Event] {
    let lines = """
      {"kind":"set","path":"a","value":{"$object":"A#1","n":1,"f":0.5,"t":"x","l":[1,2,3],"m":{"k":null,"$$x":true}}}
      {"kind":"set","path":"a.b","value":{"$bytes":"aGk="}}
      {"kind":"set","path":"a.d","value":{"$double":"nan"}}
      {"kind":"set","path":"a.r","value":{"$redacted":true}}
      {"kind":"set","path":"a.o","value":{"$opaque":"() -> ()","identity":3}}
      {"kind":"set","path":"a.rows","value":[{"$object":"Row#7","id":"x"},{"id":2}]}
      {"kind":"set","path":"a.rows[id: \\"x\\"].c","value":18446744073709551615}
      {"kind":"set","path":"a.m[\\"k\\"]","value":{"$ref":"#7"}}
      {"kind":"set","path":"#7.e","value":-1e300}
      {"kind":"splice","path":"a.t","offset":1,"delete":0,"insert":"yz"}
      {"kind":"splice","path":"a.l","offset":0,"delete":2,"insert":[9]}
      {"kind":"remove","path":"a.l[0]"}
      {"kind":"projection","projection":"P#1","tracking":"property"}
      {"kind":"projection","projection":"Q","parent":"P#1","tracking":"object"}
      {"kind":"reads","projection":"Q","paths":["a.rows[#count]","a.rows[#order]","a.m[#exists]","a.l[0]"]}
      {"kind":"reads","projection":"Q","added":["a.rows[id: 1].n","#1.t"],"dropped":["a.l[0]"]}
      {"kind":"evaluate","projection":"Q","duration_ns":10,"changed":false,"input":"same","comparing_ns":4}
      {"kind":"begin","label":"t","site":"F.swift:1"}
      {"kind":"set","path":"a.n","value":2,"cause":3,"time_ns":99}
      {"kind":"end"}
      {"kind":"invalidate","projection":"Q","causes":[18,1]}
      {"kind":"dispose","projection":"P#1"}
      {"kind":"mark","label":"end"}
      """
    var seq: UInt64 = 0
    return try lines.split(separator: "\n").map { line in
      seq += 1
      return try ParsedEvent(parsing: String(line)).event(seq: seq, time: seq * 1000, sameValue: false)
    }
  }
}

extension Recipe {
  /// The same blocks, with each block of events in a segment of its own that begins with a checkpoint of the same
  /// columns.
  fileprivate func asSegments() -> Recipe {
    guard let header = parts.first else { return self }
    var segments: [Part] = []
    for part in parts where part.kind == BlockKind.events {
      var checkpoint = part
      checkpoint.kind = 128
      segments += [header, checkpoint, part, Part(kind: Kind.seekTable)]
    }
    return Recipe(parts: segments)
  }

  /// The recipe of a good log.
  fileprivate init(log: LogReader, bytes: [UInt8]) throws {
    guard let zstd = ZstdDecompressor() else { fatalError("out of memory") }
    parts = []
    for block in log.blocks {
      let frame = Array(bytes[Int(block.offset)..<Int(block.endOffset)])
      let payload = try zstd.content(of: frame, size: block.payloadSize)
      var part = Part(kind: block.kind)
      if part.hasColumns {
        var body = ByteReader(payload, in: LogFormat.prefixSize..<payload.count)
        while !body.isAtEnd {
          let number = try body.varint()
          let range = try body.skip(try body.varint(), "a column")
          part.columns.append(RecipeColumn(number: UInt8(number), content: Array(payload[range])))
        }
      } else {
        part.plain = Array(payload[LogFormat.prefixSize...])
      }
      parts.append(part)
    }
    parts.append(Part(kind: Kind.seekTable))
  }
}
