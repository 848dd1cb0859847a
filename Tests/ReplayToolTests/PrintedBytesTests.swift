import Testing

@testable import ReplayTool

/// The buffer that long output is written into.
@Suite struct PrintedBytesTests {
  @Test func numbersOfEveryLengthReadAsSwiftWritesThem() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for number in [power - 1, power, power + 1, power &* 7, .max - power] {
        var bytes = PrintedBytes()
        bytes.append("<")
        bytes.appendDecimal(number)
        bytes.append(">")
        #expect(bytes.text() == "<\(number)>")
      }
      power &*= 10
    }
  }

  @Test func lastDigitsKeepTheirZeros() {
    var bytes = PrintedBytes()
    bytes.appendDigits(3, of: 12_007)
    bytes.appendDigits(4, of: 12_007)
    #expect(bytes.text() == "0072007")
  }

  @Test func growsPastWhatItBeganWithAndKeepsEveryByte() {
    var bytes = PrintedBytes()
    var others = PrintedBytes()
    var expected = ""
    for number in 0..<1000 {
      others.removeAll()
      others.append(Array("row \(number)".utf8))
      bytes.append(others, from: 1, count: others.count - 1)
      bytes.appendSpaces(number % 40)
      expected += "ow \(number)" + String(repeating: " ", count: number % 40)
    }
    #expect(bytes.text() == expected)
    bytes.removeTrailingSpaces()
    #expect(bytes.text() == expected.trimmingSuffix(of: " "))
  }
}

extension String {
  fileprivate func trimmingSuffix(of character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}
