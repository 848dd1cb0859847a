import EventLog
import Foundation
import LogGenerator
import Testing

@testable import Projection

/// The reader of a type gives the same result as the rules for any value.
@Suite struct FieldReaderTests {
  private enum Mood: String { case good, bad }
  private enum Level: Int { case low = 1, high = 20 }
  private enum Phase { case idle, loading, done }
  private struct Coded: Codable {
    var name = "Ada"
    var age: Int?
    var tags: [String] = []
  }
  private struct Own: RecordableValue {
    var number = 1
    func recordedValue(in context: inout EncodingContext) -> Value { .array([.int(Int64(number))]) }
  }
  private struct Plain {
    var number = 1
    var coded = Coded()
    var own = Own()
    var pair = (a: 1, b: "two")
  }

  private func agrees<T>(_ values: T..., sourceLocation: SourceLocation = #_sourceLocation) {
    let reader = FieldReader.of(T.self)
    for value in values + values {
      var (a, b) = (EncodingContext(objects: AttachedObjects()), EncodingContext(objects: AttachedObjects()))
      let read = withUnsafePointer(to: value) { reader.read(UnsafeRawPointer($0), &a) }
      #expect(read == b.encode(value), sourceLocation: sourceLocation)
      #expect(a.depth == 0, sourceLocation: sourceLocation)
    }
  }

  @Test func everyKindOfValueIsReadByItsRule() {
    agrees(1, -1, .max)
    agrees(Int?.none, 3)
    agrees(Int??.none, .some(nil), 4)
    agrees("a", "a text that is long enough for a place of its own")
    agrees(String?.none, "b")
    agrees(UInt64.max, 3)
    agrees(UInt128(1) << 100, 3)
    agrees(Float(0.1), .infinity)
    agrees(Double?.none, .nan)
    agrees(Date?.none, Date(timeIntervalSinceReferenceDate: 1.5))
    agrees(Decimal(string: "1.25") ?? 0)
    agrees(Mood.good, .bad)
    agrees(Mood?.none, .bad)
    agrees(Level.low, .high)
    agrees(Phase.idle, .loading, .done)
    agrees(Phase?.none, .loading, .done)
    agrees(Coded(), Coded(age: 3, tags: ["x", "y"]))
    agrees(Coded?.none, Coded(age: 3))
    agrees(Own(), Own(number: 4))
    agrees(Plain(), Plain(number: 2, coded: Coded(age: 1), own: Own(number: 5), pair: (a: 2, b: "x")))
    agrees((1, "a"), (2, "b"))
    agrees((a: 1, b: [2]), (a: 2, b: []))
    agrees([1, 2], [])
    agrees(Set([3, 1, 2]))
    agrees(["a": [1], "b": []])
    agrees(AnyHashable(3), AnyHashable("x"))
    agrees(3 as Any, "x" as Any, Coded() as Any)
  }

  @Test func whatIsTooDeepIsOpaque() {
    func atLimit<T>(_ value: T) -> Value {
      var context = EncodingContext(objects: AttachedObjects())
      context.depth = EncodingContext.depthLimit
      return withUnsafePointer(to: value) { FieldReader.of(T.self).read(UnsafeRawPointer($0), &context) }
    }
    func general<T>(_ value: T) -> Value {
      var context = EncodingContext(objects: AttachedObjects())
      context.depth = EncodingContext.depthLimit
      return context.encode(value)
    }
    #expect(atLimit(Coded()) == general(Coded()))
    #expect(atLimit(Plain()) == general(Plain()))
    #expect(atLimit([1]) == general([1]))
    #expect(atLimit((1, 2)) == general((1, 2)))
    #expect(atLimit(3) == general(3))
    #expect(atLimit(Coded()) == .opaque(type: "Coded", identity: 1))
  }

  @Test func theTextOfAUUIDIsThatOfFoundation() {
    for _ in 0..<500 {
      let id = UUID()
      #expect(encoded(id) == .string(id.uuidString))
    }
    let least = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    #expect(encoded(least) == .string(least.uuidString))
  }

  // MARK: Scalars that the accessors encode by themselves

  private func isScalarAsEncoded<T>(_ values: T..., sourceLocation: SourceLocation = #_sourceLocation) {
    for value in values {
      guard let scalar = RecordedScalar(value)?.value else { continue }
      #expect(scalar == encoded(value), sourceLocation: sourceLocation)
      #expect("\(scalar)" == "\(encoded(value))", sourceLocation: sourceLocation)
    }
  }

  @Test func aScalarOfAnAccessorIsWhatTheRulesGive() {
    isScalarAsEncoded(1, .min, .max)
    isScalarAsEncoded(true, false)
    isScalarAsEncoded(0.5, -0.0, .nan, .infinity)
    isScalarAsEncoded("", "short", "a text that is long enough for a place of its own")
    isScalarAsEncoded(Int?.none, 3)
    isScalarAsEncoded(Bool?.none, true)
    isScalarAsEncoded(Double?.none, 0.5)
    isScalarAsEncoded(String?.none, "short", "a text that is long enough for a place of its own")
    isScalarAsEncoded(Date(timeIntervalSinceReferenceDate: 0.25), .distantFuture)
    isScalarAsEncoded(Date?.none, .distantPast)
    isScalarAsEncoded(Float(0.1), .nan)
    isScalarAsEncoded(UUID(), UUID())
  }

  // MARK: Sets

  /// Values with equal encodings that are not equal; a sorted array cannot distinguish them.
  private struct Alike: Hashable, RecordableValue {
    var number: Int
    func recordedValue(in context: inout EncodingContext) -> Value { .int(Int64(number / 3)) }
  }
  private struct Row: Hashable, Identifiable {
    var id: Int
    var text = "x"
  }

  @Test(arguments: 0..<8) func aChangeOfASetIsRecordedAsIfAllWereEncoded(number: UInt64) {
    let seed = testSeed()
    var random = SplitMix64(seed: seed &+ number)
    check(&random, "TEST_SEED=\(seed)") { Int($0 % 40) }
    check(&random, "TEST_SEED=\(seed)") { "k\($0 % 40)" }
    check(&random, "TEST_SEED=\(seed)") { Alike(number: Int($0 % 40)) }
    check(&random, "TEST_SEED=\(seed)") { Row(id: Int($0 % 40), text: "\($0 >> 60)") }
  }

  private func check<Element: Hashable>(
    _ random: inout SplitMix64, _ seed: String, _ element: (UInt64) -> Element
  ) {
    let session = Session()
    var old: Set<Element> = []
    for _ in 0..<80 {
      var new = old
      for _ in 0...(random.next() % 5 == 0 ? 2 : 0) {
        if random.next() % 2 == 0 {
          new.insert(element(random.next()))
        } else if let any = new.randomElement(using: &random) {
          new.remove(any)
        }
      }
      guard case .array(let recorded) = encoded(old), case .array(let all) = encoded(new) else { return }
      let edits = new.edits(from: old, recorded: .array(recorded), by: session.engine)
      let different = max(new.subtracting(old).count, old.subtracting(new).count)
      let expected =
        Edit.isWhole(different, of: new.count)
        ? [Edit(kind: .set(.array(all)))] : ValueDiff.arrayEdits(from: recorded, to: all)
      if let edits { #expect("\(edits)" == "\(expected)", "\(seed)") }
      old = new
    }
  }
}
