import CZlib

/// Encodes bytes in forms that a browser can decode without a library.
enum Packing {
  /// The bytes as raw deflate, the form that `DecompressionStream('deflate-raw')` reads.
  static func deflate(_ bytes: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    guard zlib_begin_raw(&stream, 6) == Z_OK else { throw ToolError("zlib cannot begin") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    try input.withUnsafeMutableBufferPointer { input in
      var taken = 0
      var code = Z_OK
      // zlib counts in 32 bits.
      repeat {
        let part = min(input.count - taken, 1 << 30)
        stream.next_in = input.baseAddress.map { $0 + taken }
        stream.avail_in = UInt32(part)
        let isLast = taken + part == input.count
        repeat {
          try chunk.withUnsafeMutableBufferPointer { chunk in
            stream.next_out = chunk.baseAddress
            stream.avail_out = UInt32(chunk.count)
            code = CZlib.deflate(&stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
              throw ToolError("zlib cannot pack: \(code)")
            }
            output += chunk[..<(chunk.count - Int(stream.avail_out))]
          }
        } while stream.avail_out == 0
        taken += part
      } while code != Z_STREAM_END
    }
    return output
  }
}

/// SHA-256 (FIPS 180-4), by whose hash a page's policy names its script. No library that the tool links
/// provides it.
enum SHA256 {
  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    var message = bytes + [0x80]
    message += repeatElement(0, count: (120 - message.count % 64) % 64)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: (UInt64(bytes.count) * 8) >> shift))
    }
    for start in stride(from: 0, to: message.count, by: 64) { add(message[start..<(start + 64)], to: &state) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 64)
    for (index, byte) in block.enumerated() { words[index / 4] = words[index / 4] << 8 | UInt32(byte) }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      words[index] =
        words[index - 16] &+ (turned(a, 7) ^ turned(a, 18) ^ a >> 3) &+ words[index - 7]
        &+ (turned(b, 17) ^ turned(b, 19) ^ b >> 10)
    }
    var now = state
    for index in 0..<64 {
      let (a, e) = (now[0], now[4])
      let first =
        now[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ (e & now[5] ^ ~e & now[6])
        &+ constants[index] &+ words[index]
      let second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & now[1] ^ a & now[2] ^ now[1] & now[2])
      now = [first &+ second, a, now[1], now[2], now[3] &+ first, e, now[5], now[6]]
    }
    for index in 0..<8 { state[index] &+= now[index] }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
