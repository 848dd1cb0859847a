import Testing

@testable import EventLog

@Suite struct XXH64Tests {
  /// The generator and the results of the `xxhash` project's own sanity check.
  @Test(
    arguments: [
      (0, 0, 0xEF46_DB37_51D8_E999), (0, 0x9E37_79B1, 0xAC75_FDA2_929B_17EF),
      (1, 0, 0xE934_A84A_DB05_2768), (1, 0x9E37_79B1, 0x5014_6076_43A9_B4C3),
      (14, 0, 0x8282_DCC4_994E_35C8), (14, 0x9E37_79B1, 0xC3BD_6BF6_3DEB_6DF0),
      (222, 0, 0xB641_AE8C_B691_C174), (222, 0x9E37_79B1, 0x20CB_8AB7_AE10_C14A),
    ] as [(Int, UInt64, UInt64)])
  func publishedVectors(length: Int, seed: UInt64, hash: UInt64) {
    var bytes: [UInt8] = []
    var generator: UInt64 = 2_654_435_761
    for _ in 0..<length {
      bytes.append(UInt8(truncatingIfNeeded: generator >> 56))
      generator &*= 11_400_714_785_074_694_797
    }
    #expect(XXH64.hash(bytes, seed: seed) == hash)
  }

  @Test func hashesOfKnownStringsAreThoseOfTheReference() {
    #expect(XXH64.hash(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(XXH64.hash(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
    #expect(XXH64.hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
  }
}
