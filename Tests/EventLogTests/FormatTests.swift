import EventLog
import Testing

@Suite struct FormatTests {
  /// The example of FORMAT.md, compressed.
  private static let example = """
    28b52ffd24c4350500d209262d90b52d067ffceee7cf77fafe45a7e4904dcb4237090426bb5d08f45308eaf9affc6eb7
    6088661bf832a6cac80e866dbb3c7d95e96bf475575bf7cd7f103acf9c918152462736cf940c3d564595a9ca227b77bd
    5afafb9c185a8b1752c348b063e3e93755b1bf5bf9dad3e7aa27ef0095baae566c3c51b0d3eb2b65d6d2d735c4017290
    800a052e43044fc08031e01617e0dc42683c228e0400eb193cd01d203106901a383f4928b52ffd24c59d0500e28a2932
    50c7a603f042cdcccc4a67002187a09c5b7ac42ce734385af2d60294aa038421e9bad878c510216a0d0804351122b794
    3205276e295227aa92cde1174466fb68ac626e87a68d5546ab62575522fef33bfbbf6fec7bf9beac71adecba7857ace7
    d6afdc3db30037c5297653b3e94c2f55106226f77d66000188ea06c01956965526ba2b2d3d64164c5a87f04fc1e28536
    4e0460c4703968d812cee3f57fff37f8773d221228041000bc8873b5010b03e97e8a1d28b52ffd24a395040004084556
    4c420281000063000600e80300993fdd8f2cb14f6de97e8a1d97c15c4600264fb02fe124ef550103050504020e73746f
    7265636f756e7474657874030300020204020001050300010228020102290200052a0300d00f2c0f01a01f0003010001
    2d0202022e0200002f04010001003308662ba8683408c348e9806518be470600d9103800d90409407300b701740184db
    72ea5e2a4d182d000000b3000000c40000001a383f49c0000000c5000000e97e8a1d9f000000a300000084db72ea0300
    000080b1ea928f
    """

  /// The same log as version 1 wrote it.
  private static let version1 = """
    28b52ffd24c42d0500d2c9252c80c52d0633236670aa8f4c0d0bce11de6091ec74134931d96d21e076a0c094ade04ab7
    74612635868294b61d846dbb3c7d95e96bf475575bf7cd7f103acf9c918152462736cf940c3d564593a9ca227b77bd5a
    fafb9c185a8b1352c340b063e3e93755b1bf5bf9dad3e7aa23ef944a5d5723369e24d8e9f595326be9eb9aa1e0283840
    83019721810740a008708bab38b72c8bc683110400eb193cd01d203106907fa96c4228b52ffd24c5a50500e2ca293240
    c9a6034b01f42a8a22e00769af3347ec498cd679d72c2802352ae9c2f7b4bf2be8f789d1a73808627ef1a02642e49652
    a6246f2b5229aa13eee198446a0be9cc62eec7a68ed546eb62575526fef35bfbbfefec7bf9c6ae712fedca785bace7d6
    afdc3d338037c5297e53b3e14c136a20c44cefd4992b01b0f4058033b42cab54745b2a8ac8308cb6efe00a0810912eb5
    40a002355c0c1cb884f378fddfff0bfed5ee13f204041000bc8873b5010b03e7b783d95e2a4d1821000000b2000000c4
    0000007fa96c42c1000000c5000000e7b783d90200000080b1ea928f
    """

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0..<$0 + 2]), radix: 16)
    }
  }

  @Test(arguments: [(example, 583, [1, 2, 129]), (version1, 412, [1, 2])])
  func theExampleOfTheFormatDocumentReadsAsItSays(file: String, size: Int, kinds: [UInt8]) throws {
    let bytes = Self.bytes(file)
    #expect(bytes.count == size)
    let log = try LogReader(file: MemoryFile(bytes), path: "example")
    #expect(log.isClean)
    #expect(log.blocks.map(\.kind) == kinds)
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
