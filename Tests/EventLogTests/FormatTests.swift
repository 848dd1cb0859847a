import EventLog
import Testing

@Suite struct FormatTests {
  /// The example of FORMAT.md, compressed.
  private static let example = """
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

  @Test func theExampleOfTheFormatDocumentReadsAsItSays() throws {
    let digits = Self.example.filter { !$0.isWhitespace }
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset -> UInt8? in
      let start = digits.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
    }
    #expect(bytes.count == 412)
    let log = try LogReader(file: MemoryFile(bytes), path: "example")
    #expect(log.isClean)
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
