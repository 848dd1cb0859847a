import EventLog
import Testing

@testable import Projection

@Suite struct EncodingReflection {
  enum Shape {
    case empty
    case circle(radius: Int)
    case line(Int, Int)
    case named(String)
    indirect case both(Shape, Shape)
  }

  @Test func structsAndTuplesShowTheirParts() {
    struct Plain {
      var a = 1
      var b = (2, "x")
      var c = (first: 1, second: 2)
      var d: Int?
    }
    #expect(
      encoded(Plain())
        == .map(["a": 1, "b": [2, "x"], "c": .map(["first": 1, "second": 2]), "d": .null]))
    #expect(encoded(()) == [])
  }

  @Test func enumsShowTheirCaseAndWhatItCarries() {
    #expect(encoded(Shape.empty) == "empty")
    #expect(encoded(Shape.circle(radius: 3)) == .map(["circle": .map(["radius": 3])]))
    #expect(encoded(Shape.line(1, 2)) == .map(["line": [1, 2]]))
    #expect(encoded(Shape.named("n")) == .map(["named": "n"]))
    #expect(encoded(Shape.both(.empty, .named("n"))) == .map(["both": ["empty", .map(["named": "n"])]]))
  }

  @Test func nestingEndsAtTheLimit() {
    var shape = Shape.empty
    for _ in 0..<1_000 { shape = .both(shape, .empty) }
    var value = encoded(shape)
    var levels = 0
    while case .map(let fields) = value, case .array(let parts)? = fields["both"], let first = parts.first {
      value = first
      levels += 1
    }
    #expect(levels <= EncodingContext.depthLimit)
    guard case .opaque = value else { return #expect(Bool(false), "\(value)") }
  }

  @Test func objectsThatAreNotRecordedKeepASmallIdentity() {
    final class Player {}
    let table = AttachedObjects()
    let (a, b) = (Player(), Player())
    #expect(table.encode(a) == .opaque(type: "Player", identity: 1))
    #expect(
      table.encode([b, a]) == [.opaque(type: "Player", identity: 2), .opaque(type: "Player", identity: 1)])
  }

  @Test func closuresAndMetatypesAreNewEachTime() {
    let table = AttachedObjects()
    let closure: (Int) -> Int = { $0 }
    #expect(table.encode(closure) == .opaque(type: "(Int) -> Int", identity: 1))
    #expect(table.encode(closure) == .opaque(type: "(Int) -> Int", identity: 2))
    guard case .opaque = table.encode(Int.self) else { return #expect(Bool(false), "not opaque") }
  }

  @Test func addressesNeverReachTheLog() {
    final class Thing: Identifiable {}
    let thing = Thing()
    let buffer = UnsafeMutableBufferPointer<Int>.allocate(capacity: 2)
    buffer.initialize(repeating: 0)
    defer { buffer.deallocate() }
    for value in [ObjectIdentifier(thing), buffer, UnsafeRawPointer(buffer.baseAddress) as Any] {
      guard case .opaque(_, let identity) = encoded(value) else { return #expect(Bool(false), "\(value)") }
      #expect(identity == 1)
    }
  }

  @Test func identitiesAreNeverGivenTwice() {
    var identities = ObjectIdentities()
    var seen: Set<UInt64> = []
    for _ in 0..<1_000 {
      final class Short {}
      #expect(seen.insert(identities.identity(of: Short())).inserted)
    }
    #expect(seen.insert(identities.freshIdentity()).inserted)
  }
}
