import EventLog
import Foundation
import LogGenerator
import Testing

@testable import Projection

/// An enum whose payloads are read from their storage gives the same values as a mirror.
@Suite struct EnumLayoutTests {
  private enum Mood: String { case good, bad }
  private struct Point: Equatable {
    var x = 1
    var label = "p"
    var small: Int8 = 3
  }
  private enum Single {
    case none, other
    case some(Int)
  }
  private enum Labelled {
    case run(progress: Double), stop(code: Int, reason: String), pair(Int, String), idle
  }
  private enum Packed {
    case text(String), flag(Bool), byte(UInt8), wide(UInt64, UInt64), point(Point), mood(Mood), maybe(Mood?)
    case date(Date), id(UUID), twice(Int??), nothing(()), a, b, c
  }
  private indirect enum Tree { case leaf(Int), node(Tree, Tree) }
  private enum PartlyIndirect {
    case leaf(Int)
    indirect case node(PartlyIndirect)
    case end
  }
  private enum Nested { case inner(Labelled), outer(Single?), empty }
  private enum Generic<T> { case value(T), pair(T, Int), nothing }
  private enum Rich {
    case list([Int]), any(Any), object(AnyObject), call(() -> Void), named([String: Int]), optional([Int]?)
    case kind(Any.Type), none
  }
  private enum Described: CustomStringConvertible {
    case a, b(Int)
    var description: String { "described" }
  }
  private enum Shown: CustomReflectable {
    case a, b(Int)
    var customMirror: Mirror { Mirror(self, children: ["shown": 2], displayStyle: .enum) }
  }
  private enum Only { case one(String) }
  private enum Never {}
  private struct Holder {
    var before = UInt8(7)
    var value: Labelled
    var after = true
  }

  /// Twice, because the first value of a case is also read by a mirror.
  private func agrees<T>(_ values: T..., sourceLocation: SourceLocation = #_sourceLocation) {
    for value in values + values + values.reversed() {
      var mirrored = EncodingContext(objects: AttachedObjects())
      mirrored.depth = 1
      let expected = mirrored.encodeMirrored(value)
      let fast = encoded(value)
      #expect(fast == expected && "\(fast)" == "\(expected)", sourceLocation: sourceLocation)
      let held = Array(repeating: value, count: 2)
      #expect(encoded(held) == .array([expected, expected]), sourceLocation: sourceLocation)
    }
  }

  @Test func payloadsAreReadAsAMirrorShowsThem() {
    agrees(Single.some(3), .none, .other, .some(-1), .some(.max))
    agrees(Labelled.run(progress: 0.5), .stop(code: 1, reason: "no"), .pair(2, "two"), .idle)
    agrees(
      Packed.text("short"), .text("a text that is long enough for a place of its own"), .flag(true),
      .flag(false), .byte(200), .wide(1, .max), .point(Point()), .mood(.bad), .maybe(nil), .maybe(.good),
      .date(Date(timeIntervalSinceReferenceDate: 2.5)), .id(UUID()), .twice(nil), .twice(.some(nil)),
      .twice(4), .nothing(()), .a, .b, .c)
    agrees(Nested.inner(.idle), .inner(.pair(1, "x")), .outer(nil), .outer(.some(.some(2))), .empty)
    agrees(Only.one("x"), .one(""))
  }

  @Test func genericPayloadsAreReadAsTheirTypes() {
    agrees(Generic.value(1), .pair(2, 3), .nothing)
    agrees(Generic.value("text"), .pair("a", 3), .nothing)
    agrees(Generic.value(Point()), .pair(Point(x: 4), 3), .nothing)
    agrees(Generic.value(Generic.value(UInt8(3))), .nothing)
    agrees(Result<Int, CocoaError>.success(4))
  }

  @Test func whatMayBeOfMoreThanOneTypeIsLeftToMirrors() {
    let object = NSObject()
    agrees(Rich.list([1, 2]), .named(["a": 1]), .optional(nil), .optional([3]), .none)
    agrees(Rich.any(1), .any("text"), .any(Point()), .any([1]))
    var a = EncodingContext(objects: AttachedObjects())
    guard case .map(let fields) = a.encode(Rich.object(object)), case .opaque? = fields["object"] else {
      Issue.record("an object in an enum is opaque")
      return
    }
    agrees(Tree.leaf(1), .node(.leaf(1), .node(.leaf(2), .leaf(3))))
    agrees(PartlyIndirect.leaf(1), .node(.leaf(2)), .node(.node(.end)), .end)
    agrees(Described.a, .b(2))
    agrees(Shown.a, .b(2))
  }

  @Test func enumsInStructsAndOptionalsAreReadWhereTheyAre() {
    for value in [Labelled.run(progress: 1), .stop(code: 2, reason: "why"), .idle] {
      var context = EncodingContext(objects: AttachedObjects())
      let expected: Value = .map([
        "before": 7, "value": context.encodeMirrored(value), "after": true,
      ])
      #expect(encoded(Holder(value: value)) == expected)
      #expect(encoded(Optional(Holder(value: value))) == expected)
      #expect(encoded(Optional(value)) == context.encodeMirrored(value))
    }
  }

  @Test func randomValuesAreReadAsAMirrorShowsThem() {
    let seed = testSeed()
    var random = SplitMix64(seed: seed)
    func text() -> String { String(repeating: "é\(random.next() % 10)", count: Int(random.next() % 12)) }
    for _ in 0..<500 {
      let bits = random.next()
      let value: Packed =
        switch bits % 12 {
        case 0: .text(text())
        case 1: .flag(bits & 64 == 0)
        case 2: .byte(UInt8(truncatingIfNeeded: bits >> 8))
        case 3: .wide(bits, random.next())
        case 4: .point(Point(x: Int(bits >> 2), label: text(), small: Int8(truncatingIfNeeded: bits >> 8)))
        case 5: .mood(bits & 64 == 0 ? .good : .bad)
        case 6: .maybe(bits & 64 == 0 ? nil : .bad)
        case 7: .date(Date(timeIntervalSinceReferenceDate: Double(bits >> 30)))
        case 8: .twice(bits & 64 == 0 ? .some(nil) : Int(bits >> 20))
        case 9: .a
        case 10: .b
        default: .c
        }
      var mirrored = EncodingContext(objects: AttachedObjects())
      #expect(encoded(value) == mirrored.encodeMirrored(value), "TEST_SEED=\(seed)")
    }
  }

  @Test func aReadPayloadIsReleasedOnce() {
    let text = String(repeating: "long", count: 20)
    var values = [Only.one(text), .one(text)]
    for _ in 0..<1_000 { _ = encoded(values) }
    values = []
    #expect(encoded(Only.one(text)) == .map(["one": .string(text)]))
  }
}
