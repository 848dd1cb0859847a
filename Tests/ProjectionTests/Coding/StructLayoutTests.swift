import EventLog
import Foundation
import Testing

@testable import Projection

/// A struct that is read by the offsets of its properties gives the same parts as a mirror.
@Suite struct StructLayoutTests {
  private final class Friend: Equatable {
    static func == (a: Friend, b: Friend) -> Bool { a === b }
  }

  private enum Mood: String { case good, bad }
  private enum Move { case stay, go(Int), swap(a: String, b: Bool) }

  private struct Nothing {}
  private struct Inner {
    var flag = true
    var small: Int8 = -3
    var text = "inner"
  }
  private struct Everything {
    var byte: UInt8 = 200
    var number = -7
    let big = UInt64.max
    var flag = false
    var half: Float = 0.5
    var double = Double.infinity
    var text = "a text that is long enough for a place of its own"
    var none: String?
    var some: Int? = 4
    var twice: Int?? = .some(nil)
    var tuple = (1, b: "x", c: Inner())
    var inner = Inner()
    var nothing = Nothing()
    var mood = Mood.bad
    var maybe: Mood? = .good
    var move = Move.swap(a: "x", b: true)
    var list = [1, 2, 3]
    var byName: [String: Inner] = ["k": Inner()]
    var date = Date(timeIntervalSinceReferenceDate: 12.5)
    var id = UUID()
    var link = URL(string: "https://example.org")
    lazy var later = number + 1
    var wide: UInt128 = 1 << 100
  }
  private struct Generic<T> {
    var a = true
    var value: T
    var z: UInt16 = 9
  }
  private struct Weak {
    weak var friend: Friend?
    var number = 1
  }
  private struct Unowned {
    unowned var friend: Friend
    unowned(unsafe) var other: Friend
  }
  private struct Strong {
    var friend = Friend()
    var any: Any = 3
    var maybe: (any Sendable)? = "text"
    var call: () -> Void = {}
  }
  private struct Custom: CustomReflectable {
    var secret = 1
    var customMirror: Mirror { Mirror(self, children: ["shown": 2], displayStyle: .struct) }
  }
  private struct Address { var pointer = UnsafeRawPointer(bitPattern: 8) }

  private func agrees<T>(_ value: T, isRead: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    var (a, b) = (EncodingContext(objects: AttachedObjects()), EncodingContext(objects: AttachedObjects()))
    #expect(a.encodeReflected(value) == b.encodeMirrored(value), sourceLocation: sourceLocation)
    #if !canImport(Darwin)
      #expect((StructLayout.of(T.self) != nil) == isRead, sourceLocation: sourceLocation)
    #endif
  }

  @Test func aStructIsReadAsAMirrorShowsIt() {
    agrees(Everything(), isRead: true)
    agrees(Inner(), isRead: true)
    agrees(Nothing(), isRead: true)
    agrees(Generic(value: "text"), isRead: true)
    agrees(Generic(value: Int8(3)), isRead: true)
    agrees(Generic(value: Everything()), isRead: true)
    agrees(Generic(value: Generic(value: [Inner()])), isRead: true)
    agrees(Address(), isRead: true)
  }

  @Test func propertiesThatMayBeWeakAreLeftToMirrors() {
    let friend = Friend()
    agrees(Weak(friend: friend), isRead: false)
    agrees(Unowned(friend: friend, other: friend), isRead: false)
    agrees(Generic(value: friend), isRead: false)
    agrees(Custom(), isRead: false)
    #expect(encoded(Custom()) == .map(["shown": 2]))
    agrees(Move.go(3), isRead: false)
    agrees(Mood?.some(.good), isRead: false)
    agrees((1, 2), isRead: false)
    // Each opaque value has a new identity, so only types are compared.
    #expect(StructLayout.of(Strong.self) == nil)
  }

  @Test func onlyStructsOfPlainValuesAreElementsThatAreCompared() {
    struct Row: Identifiable {
      var id = 1
      var mood = Mood.good
      var inner = Inner()
      var date: Date?
    }
    struct Computed: Identifiable {
      var number = 1
      var id: Int { number }
    }
    #if !canImport(Darwin)
      #expect(StructLayout.ofPlainElement(Row.self)?.id == 0)
    #endif
    #expect(StructLayout.ofPlainElement(Computed.self) == nil)
    #expect(StructLayout.ofPlainElement(Everything.self) == nil)
    #expect(StructLayout.ofPlainElement(Int.self) == nil)
    #expect(StructLayout.ofPlainElement(String.self) == nil)
  }
}
