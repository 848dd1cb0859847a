/// The numbers of the format that the writer and the reader must agree on. FORMAT.md is their prose.
enum LogFormat {
  /// The first four bytes of every payload: `EVLB`.
  static let magic: UInt32 = 0x424C_5645
  /// The version that is written. Version 1 is the same without segments, and is read too.
  static let version: UInt8 = 2
  /// Bytes of the fixed prefix of every payload.
  static let prefixSize = 64
  /// The largest payload, prefix included.
  static let payloadBytesMax = 16 << 20
  /// The largest body: what the prefix leaves of a payload.
  static let bodyBytesMax = payloadBytesMax - prefixSize
  /// The largest compressed frame: what zstd can make of the largest payload, rounded up.
  static let frameBytesMax = 17 << 20
  /// The most zstd blocks in a frame: 32 times what the largest payload needs.
  static let zstdBlocksMax = 4096
  /// The largest content of a skippable frame.
  static let skippableBytesMax = 16 << 20
  /// The largest window of a frame: `windowLog` 20.
  static let windowBytesMax = 1 << 20
  static let windowLog: Int32 = 20
  /// Events in one block.
  static let eventsMax = 1 << 16
  /// Strings, values, map keys, entries of lists and steps of paths in one block. It bounds what a small hostile
  /// file can make a reader allocate.
  static let itemsMax = 1 << 20
  /// How deep values nest; a scalar has depth 1.
  static let valueDepthMax = 64
  /// Optional block kinds start here: a reader that does not know one skips it.
  static let firstOptionalKind: UInt8 = 128

  static let zstdMagic: UInt32 = 0xFD2F_B528
  static let skippableMagic: UInt32 = 0x184D_2A50
  static let seekTableMagic: UInt32 = 0x184D_2A5E
  static let seekFooterMagic: UInt32 = 0x8F92_EAB1
}

/// What a block holds.
enum BlockKind {
  static let header: UInt8 = 1
  static let events: UInt8 = 2
  /// The state after the events so far, as events. It can be made again from those.
  static let checkpoint: UInt8 = 128
  /// What the blocks of a segment hold. It can be made again from those.
  static let index: UInt8 = 129
}
