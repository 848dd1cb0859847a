@testable import EventLog

/// A log in a form for a fuzzer: the content of blocks, without the sizes and checksums that guard them.
///
/// A plain fuzzer gets no further than the first checksum. A recipe is baked into a file whose frames, lengths, hashes
/// and hash chain are right unless a part says otherwise, so that faults lie behind them.
///
/// Bytes: 0x52, then parts, each `kind flags number(u16) length(u32) bytes`. If the flags say so these begin with numbers
/// that are false: how many, then each `place(u16) value(u64)`. Any bytes are a recipe; what does not begin with 0x52
/// is a file as it stands.
struct Recipe {
  static let mark: UInt8 = 0x52

  /// What a part becomes. Below 200: a block of that kind of the format.
  enum Kind {
    static let skippable: UInt8 = 200
    static let rawBytes: UInt8 = 201
    static let seekTable: UInt8 = 202
    static let damage: UInt8 = 203
  }

  /// How a part differs from a good block.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The event count is the part's number, not that of its kinds.
    static let count = Flags(rawValue: 1)
    /// The hash chain is broken.
    static let chain = Flags(rawValue: 2)
    /// The part's number is added to the first seq.
    static let seq = Flags(rawValue: 4)
    /// The durable seq and base time are the part's number.
    static let durable = Flags(rawValue: 8)
    /// The block is of another file.
    static let salt = Flags(rawValue: 16)
    /// The body is the bytes as they stand, not columns.
    static let plainBody = Flags(rawValue: 32)
    /// The version is 1, not the newest.
    static let old = Flags(rawValue: 64)
    /// The part begins with numbers that are false, see ``Field``.
    static let fields = Flags(rawValue: 128)
  }

  /// A false number, under hashes that are right.
  struct Field {
    /// In a block a ``PrefixField``; in a seek table the index of a word of four bytes, from its first entry on.
    var place: UInt16
    var value: UInt64

    static let size = 10
    var bytes: [UInt8] {
      var out: [UInt8] = []
      out.appendLittleEndian(place)
      out.appendLittleEndian(value)
      return out
    }
  }

  /// The numbers of a prefix that a ``Field`` may be about.
  enum PrefixField: UInt16, CaseIterable {
    case count, seq, time, salt, chain, durable, bodyHash, bodyLength, head
  }

  struct Part {
    var kind: UInt8
    var flags: Flags = []
    var number: UInt16 = 0
    var fields: [Field] = []
    var columns: [RecipeColumn] = []
    var plain: [UInt8] = []

    var hasColumns: Bool { kind < Kind.skippable && kind != 1 && !flags.contains(.plainBody) }

    /// Sets a false number.
    mutating func set(_ field: Field) {
      fields = Array((fields.filter { $0.place != field.place } + [field]).suffix(16))
      flags.insert(.fields)
    }

    /// The false number for a field, or the right one.
    func value(_ field: PrefixField, _ value: UInt64) -> UInt64 {
      fields.last { $0.place == field.rawValue }?.value ?? value
    }

    fileprivate mutating func takeFields(_ bytes: inout [UInt8]) {
      let count = Int(bytes.first ?? 0)
      bytes = Array(bytes.dropFirst())
      while fields.count < count, bytes.count >= Field.size, let place: UInt16 = bytes.littleEndian(at: 0),
        let value: UInt64 = bytes.littleEndian(at: 2)
      {
        fields.append(Field(place: place, value: value))
        bytes.removeFirst(Field.size)
      }
    }
  }

  var parts: [Part] = []

  init(parts: [Part]) { self.parts = parts }

  init?(_ input: [UInt8]) {
    guard input.first == Self.mark else { return nil }
    var rest = input.dropFirst()
    while rest.count >= 8 {
      let head = Array(rest.prefix(8))
      rest = rest.dropFirst(8)
      var part = Part(kind: head[0], flags: Flags(rawValue: head[1]))
      part.number = UInt16(head[2]) | UInt16(head[3]) << 8
      let length = Int(head[4]) | Int(head[5]) << 8 | Int(head[6]) << 16
      var bytes = Array(rest.prefix(length))
      rest = rest.dropFirst(bytes.count)
      if part.flags.contains(.fields) { part.takeFields(&bytes) }
      if part.hasColumns { part.columns = RecipeColumn.read(bytes) } else { part.plain = bytes }
      parts.append(part)
    }
  }

  var bytes: [UInt8] {
    var out = [Self.mark]
    for part in parts {
      var content = part.hasColumns ? part.columns.flatMap(\.bytes) : part.plain
      if part.flags.contains(.fields) {
        content = [UInt8(part.fields.count)] + part.fields.flatMap(\.bytes) + content
      }
      out += [part.kind, part.flags.rawValue, UInt8(part.number & 0xFF), UInt8(part.number >> 8)]
      out += [
        UInt8(content.count & 0xFF), UInt8(content.count >> 8 & 0xFF), UInt8(content.count >> 16 & 0xFF), 0,
      ]
      out += content
    }
    return out
  }
}

/// One column of a block: `number repeats length(u16) bytes`.
struct RecipeColumn {
  var number: UInt8
  /// The bytes occur 2^repeats times in the block, so that a small input makes a large column.
  var repeats: UInt8 = 0
  var content: [UInt8]

  var bytes: [UInt8] { [number, repeats, UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content }

  static func read(_ bytes: [UInt8]) -> [RecipeColumn] {
    var columns: [RecipeColumn] = []
    var rest = bytes[...]
    while rest.count >= 4 {
      let head = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let content = Array(rest.prefix(Int(head[2]) | Int(head[3]) << 8))
      rest = rest.dropFirst(content.count)
      columns.append(RecipeColumn(number: head[0], repeats: head[1], content: content))
    }
    return columns
  }
}
