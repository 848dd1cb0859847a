@testable import EventLog

extension Recipe {
  /// Bytes that repeats may add to a file, so that no input takes long.
  private static let repeatedBytesMax = 128 << 10

  /// The file that the recipe describes. Cost: linear in it.
  func bake() -> [UInt8] {
    var oven = Oven(budget: Self.repeatedBytesMax)
    for (position, part) in parts.enumerated() {
      oven.add(part, before: parts[position...].first { $0.kind == Kind.seekTable })
    }
    return oven.file
  }
}

/// A file that is being built, and the numbers with which the next block must follow the last.
private struct Oven {
  var file: [UInt8] = []
  private var budget: Int
  private var seq: UInt64 = 1
  private var chain: UInt64 = 0
  private var seekTable = SeekTable()
  /// The high halves of the hashes of the blocks of this segment.
  private var hashes: [UInt8] = []

  init(budget: Int) { self.budget = budget }

  /// Adds a part. An index gets the hash of the table that follows it, even if that table is false.
  mutating func add(_ part: Recipe.Part, before table: Recipe.Part?) {
    switch part.kind {
    case Recipe.Kind.skippable:
      file.appendLittleEndian(LogFormat.skippableMagic | UInt32(part.number & 15))
      file.appendLittleEndian(UInt32(part.plain.count))
      file += part.plain
    case Recipe.Kind.rawBytes: file += part.plain
    case Recipe.Kind.seekTable:
      file += part.changing(seekTable.encoded() ?? [])
    case Recipe.Kind.damage...: damage(part.plain, where: Int(part.number))
    default: addBlock(part, before: table)
    }
  }

  private mutating func addBlock(_ part: Recipe.Part, before table: Recipe.Part?) {
    if part.kind == BlockKind.header {
      seekTable = SeekTable()
      hashes = []
    }
    let all = part.kind == BlockKind.index ? index(part, before: table) : part.columns
    let body = part.hasColumns ? columns(all) : part.plain
    let kinds = part.columns.first { $0.number == Column.kinds.rawValue }
    var count =
      part.kind == BlockKind.events ? kinds.map { $0.content.count << Int($0.repeats & 15) } ?? 1 : 0
    if part.flags.contains(.count) { count = Int(part.number) }
    if part.flags.contains(.seq) { seq &+= UInt64(part.number) }
    let number = part.flags.contains(.durable) ? UInt64(part.number) : 0
    seq = part.value(.seq, seq)
    count = Int(UInt32(truncatingIfNeeded: part.value(.count, UInt64(count))))
    let head = UInt64(part.flags.contains(.old) ? 1 : LogFormat.version) | UInt64(part.kind) << 8
    var payload: [UInt8] = []
    payload.appendLittleEndian(LogFormat.magic)
    for half in [part.value(.head, head), part.value(.bodyLength, UInt64(body.count)), UInt64(count)] {
      payload.appendLittleEndian(UInt32(truncatingIfNeeded: half))
    }
    for word in [
      seq, part.value(.time, number), part.value(.salt, part.flags.contains(.salt) ? 8 : 7),
      part.value(.chain, part.flags.contains(.chain) ? chain &+ 1 : chain), part.value(.durable, number),
      part.value(.bodyHash, XXH64.hash(body)),
    ] { payload.appendLittleEndian(word) }
    payload += body
    seq &+= UInt64(count)
    chain = XXH64.hash(payload)
    let frame = frame(payload)
    hashes.appendLittleEndian(UInt32(truncatingIfNeeded: chain >> 32))
    seekTable.append(compressedSize: frame.count, payloadSize: payload.count, payloadHash: chain)
    file += frame
  }

  /// The columns of an index, with the hashes that tie it to its segment, without which a reader checks nothing else.
  private func index(_ part: Recipe.Part, before next: Recipe.Part?) -> [RecipeColumn] {
    if part.flags.contains(.count) { return part.columns }
    let frame = seekTable.encoded() ?? []
    let entries = (next?.changing(frame) ?? frame)[8...].prefix(12 * seekTable.entries.count)
    var table: [UInt8] = []
    table.appendLittleEndian(XXH64.hash(Array(entries)))
    return part.columns.map { column in
      switch Int(column.number) {
      case IndexColumn.hashes.rawValue: RecipeColumn(number: column.number, content: hashes)
      case IndexColumn.tableHash.rawValue: RecipeColumn(number: column.number, content: table)
      default: column
      }
    }
  }

  private mutating func columns(_ columns: [RecipeColumn]) -> [UInt8] {
    var body: [UInt8] = []
    for column in columns {
      var content = column.content
      for _ in 0..<column.repeats & 15 where content.count <= budget {
        budget -= content.count
        content += content
      }
      body.appendVarint(UInt64(column.number))
      body.appendVarint(UInt64(content.count))
      body += content
    }
    return body
  }

  /// A zstd frame of uncompressed blocks, which readers accept, and which is cheap to build.
  private func frame(_ content: [UInt8]) -> [UInt8] {
    let isSingleSegment = content.count <= LogFormat.windowBytesMax
    var out: [UInt8] = []
    out.appendLittleEndian(LogFormat.zstdMagic)
    out += isSingleSegment ? [0xA4] : [0x84, 0x50]
    out.appendLittleEndian(UInt32(content.count))
    var start = 0
    repeat {
      let end = min(start + 128 << 10, content.count)
      let header = UInt32(end - start) << 3 | (end == content.count ? 1 : 0)
      out += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF)]
      out += content[start..<end]
      start = end
    } while start < content.count
    out.appendLittleEndian(UInt32(truncatingIfNeeded: XXH64.hash(content)))
    return out
  }

  /// Damages the file as a disk may: `instruction` says how, `place` where, in 65,536ths of the file.
  private mutating func damage(_ instruction: [UInt8], where place: Int) {
    guard !file.isEmpty else { return }
    let at = min(file.count * place >> 16, file.count - 1)
    let size = instruction.dropFirst().reduce(1) { min($0 * 2 + Int($1), 4096) }
    let end = min(at + size, file.count)
    switch (instruction.first ?? 0) % 7 {
    case 0: file[at] ^= 1 << ((instruction.last ?? 0) & 7)
    case 1: file.removeSubrange(at...)
    case 2: for index in at..<end { file[index] = 0 }
    case 3: file.removeSubrange(at..<end)
    case 4: file.insert(contentsOf: file[at..<end], at: at)
    case 5: file += instruction
    default: file.replaceSubrange(at..<end, with: instruction.prefix(end - at))
    }
  }
}

extension Recipe.Part {
  /// A copy of a seek table with its false words; word 0 follows the magic and the size.
  fileprivate func changing(_ table: [UInt8]) -> [UInt8] {
    var table = table
    for field in fields {
      let start = 8 + 4 * Int(field.place)
      for byte in 0..<4 where start + byte < table.count {
        table[start + byte] = UInt8(truncatingIfNeeded: field.value >> UInt64(8 * byte))
      }
    }
    return table
  }
}
