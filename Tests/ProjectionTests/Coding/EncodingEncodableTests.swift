import EventLog
import Testing

@testable import Projection

@Suite struct EncodingEncodable {
  @Test func synthesizedEncodingsAreMaps() {
    struct Inner: Encodable { var list = [1, 2] }
    struct Outer: Encodable {
      var name = "x"
      var missing: Int?
      var inner = Inner()
    }
    #expect(encoded(Outer()) == .map(["name": "x", "inner": .map(["list": [1, 2]])]))
  }

  @Test func everyContainerArrivesWhereItBelongs() {
    struct Handmade: Encodable {
      enum Keys: String, CodingKey { case a, b, c, d }
      func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Keys.self)
        var list = keyed.nestedUnkeyedContainer(forKey: .a)
        var map = keyed.nestedContainer(keyedBy: Keys.self, forKey: .b)
        // Containers stay open: values that are added late still belong to them.
        try list.encode(1)
        try map.encodeNil(forKey: .c)
        try list.encodeNil()
        var inner = list.nestedUnkeyedContainer()
        try inner.encode(true)
        var element = list.nestedContainer(keyedBy: Keys.self)
        try element.encode("e", forKey: .d)
        #expect(list.count == 4)
        try [5].encode(to: keyed.superEncoder())
        try 6.encode(to: keyed.superEncoder(forKey: .d))
      }
    }
    #expect(
      encoded(Handmade())
        == .map([
          "a": [1, .null, [true], .map(["d": "e"])], "b": .map(["c": .null]), "super": [5], "d": 6,
        ]))
  }

  @Test func anEncodingThatThrowsIsOpaqueAlone() {
    struct Broken: Encodable {
      struct Failure: Error {}
      func encode(to encoder: any Encoder) throws { throw Failure() }
    }
    struct Whole: Encodable {
      var fine = 1
      var broken = Broken()
    }
    guard case .map(let fields) = encoded(Whole()) else { return #expect(Bool(false), "not a map") }
    #expect(fields["fine"] == 1)
    guard case .opaque("Broken", _)? = fields["broken"] else {
      return #expect(Bool(false), "\(fields)")
    }
  }

  @Test func misusedContainersDoNotTrap() {
    struct Mixed: Encodable {
      func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(1)
        var single = encoder.singleValueContainer()
        try single.encode(2)
        try single.encode(3)
      }
    }
    struct Silent: Encodable { func encode(to encoder: any Encoder) throws {} }
    #expect(encoded(Mixed()) == 3)
    #expect(encoded(Silent()) == .map([:]))
  }

  @Test func inheritedEncodingsNest() {
    class Base: Encodable {
      var a = 1
      enum Keys: CodingKey { case a }
    }
    final class Derived: Base {
      var b = 2
      enum Keys: CodingKey { case b }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(b, forKey: .b)
        try super.encode(to: container.superEncoder())
      }
    }
    #expect(encoded(Derived()) == .map(["b": 2, "super": .map(["a": 1])]))
  }

  @Test func anEncodableObjectMetWithinItselfIsOpaque() {
    final class Node: Encodable {
      var next: Node?
      var other: Node?
    }
    let table = AttachedObjects()
    let node = Node()
    node.next = node
    node.other = node
    let value = table.encode(node)
    #expect(
      value
        == .map([
          "next": .opaque(type: "Node", identity: 1), "other": .opaque(type: "Node", identity: 1),
        ]))
    node.next = nil
    node.other = nil
  }

  @Test func depthEndsInOpaque() {
    struct Deep: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for _ in 0..<1_000 {
          container = container.nestedUnkeyedContainer()
        }
        try container.encode(1)
      }
    }
    struct Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self)
      }
    }
    #expect(depth(of: encoded(Deep())) <= EncodingContext.depthLimit + 1)
    guard case .opaque("Endless", _) = encoded(Endless()) else { return #expect(Bool(false), "not opaque") }
  }

  private func depth(of value: Value) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    default: 1
    }
  }
}
