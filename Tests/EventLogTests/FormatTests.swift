import EventLog
import Testing

@Suite struct FormatTests {
  /// The example of FORMAT.md, compressed.
  private static let example = """
    28b52ffd24c4350500d209262d90b52d067ffceee7cf77fafe45a7e4904dcb4237090426bb5d08f45308eaf9affc6eb7
    6088661bf832861f6d07866dbb3c7d95e96bf475575bf7cd7f103acf9c918152462736cf940c3d564595a9ca227b77bd
    5afafb9c185a8b1752c348b063e3e93755b1bf5bf9dad3e7aa27ef0095baae566c3c51b0d3eb2b65d6d2d735c4017290
    800a052e43044fc08031e01617e0dc42683c228e0400eb193cd01d2031069034d8978528b52ffd24c5ad0500e20a2a33
    60a7a60314da61672e0882d5090cd6dcd13065821366f5d457e86d1cc9a09d83950020f60bb4481886d080d5a88910b9
    a59429a36e295227aa12eee15744660b69ac62ee87a68ed546eb62575526fef33bfbbf6fec7bf9beac71adecca7857ac
    e7d6afdc3d334037c3197a33b36966e934005e6667e2cc94c047f202be095696552aba2b0d416014449a677082848608
    f18061437d162c050e1cc279bcfeefffe2bfbcf1803a01041000bc8873b5010b03a804b51728b52ffd24a39504000408
    45564c420381000063000600e80300993fdd8f2cb14f6da804b5179aac35410058f838f78cbbc4bc0103050504020e73
    746f7265636f756e7474657874030300020204020001050300010228020102290200052a0300d00f2c0f01a01f000301
    00012d0202022e0200002f04010001003308f0da9e8d340845dd86894fe102e20600d9103800d90409407300b7017401
    7ef6d6415e2a4d182d000000b3000000c400000034d89785c2000000c5000000a804b5179f000000a30000007ef6d641
    0300000080b1ea928f
    """

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
  }

  @Test func theExampleOfTheFormatDocumentReadsAsItSays() throws {
    let bytes = Self.bytes(Self.example)
    #expect(bytes.count == 585)
    let log = try LogReader(file: MemoryFile(bytes), path: "example")
    #expect(log.isClean)
    #expect(log.blocks.map(\.kind) == [1, 2, 129])
    #expect(log.header.program == "demo")
    #expect(log.header.salt == 0x6d4f_b12c_8fdd_3f99)
    #expect(log.header.created == 1_795_264_677_316_995_433)
    #expect(log.header.metadata == ["run": "7"])
    let count = Path(root: .named("store"), components: [.property("count")])
    let text = Path(root: .named("store"), components: [.property("text")])
    #expect(
      try log.allEvents() == [
        Event(seq: 1, time: 1000, body: .set(count, 5, sameValue: false)),
        Event(seq: 2, time: 3000, cause: 1, site: "Chat.swift:42", body: .set(count, 7, sameValue: true)),
        Event(seq: 3, time: 3000, body: .splice(text, offset: 0, delete: 1, insert: "ab", sameValue: false)),
        Event(seq: 4, time: 4000, body: .set(text, .map(["x": 0.5]), sameValue: false)),
        Event(seq: 5, time: 4000, body: .mark(label: "tap")),
      ])
  }
}
