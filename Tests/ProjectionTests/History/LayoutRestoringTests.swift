#if !canImport(Darwin)
  import EventLog
  import Foundation
  import LogGenerator
  import Testing

  @testable import Projection

  /// Structs, enums and tuples that are not `Codable` are restored from the layout that the runtime gives, also as parts of each
  /// other and in collections.
  @Suite struct LayoutRestoringTests {
    struct Padded: Equatable {
      var small: UInt8 = 1
      var wide: Int64 = 2
      var flag = true
      var short: Int16 = 3
      var text = "text"
      private let constant = 7
      var maybe: Int32?
    }

    struct Outer: Equatable {
      var flag = false
      var inner = Padded()
      var many: [Padded] = []
      var named: [String: Padded] = [:]
      var last: Padded?
      var date = Date(timeIntervalSince1970: 1)
    }

    struct Pair<First: Equatable, Second: Equatable>: Equatable {
      var first: First
      var second: Second
    }

    enum Plain: Equatable { case one, two, three }

    enum Single: Equatable { case none, some(String), other }

    enum Multi: Equatable {
      case nothing
      case number(Int)
      case text(String)
      case both(Int, String)
      case labelled(width: Double, height: Double)
      case padded(Padded)
      case maybe(Int?)
      case done
    }

    struct WithMulti: Equatable {
      var before: UInt8 = 0
      var multi = Multi.nothing
      var plain = Plain.two
      var after: UInt8 = 9
    }

    struct Tree: Equatable {
      var value = 0
      var children: [Tree] = []
    }

    @Recorded final class Holder<Content> {
      var content: Content?
      var many: [Content] = []
    }

    /// Records values, and expects them back.
    private func expectBack<Content: Equatable>(
      _ values: Content..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      for value in values {
        let place = try LogPlace()
        try place.record { session in
          let holder = Holder<Content>()
          session.attach(holder, as: "holder")
          holder.content = value
          holder.many = values
        }
        let back = try Recording(place.url).restore(Holder<Content>.self, root: "holder")
        #expect(back.content == value, sourceLocation: sourceLocation)
        #expect(back.many == values, sourceLocation: sourceLocation)
      }
    }

    @Test func structsComeBack() throws {
      try expectBack(Padded(), Padded(small: 255, wide: .min, flag: false, short: -1, text: "é", maybe: 4))
      try expectBack(
        Outer(),
        Outer(
          flag: true, inner: Padded(wide: 5), many: [Padded(), Padded(short: 9)],
          named: ["a": Padded(text: "long text, longer than inline")],
          last: Padded(maybe: 1), date: .init(timeIntervalSince1970: 2.5)))
      try expectBack(Pair(first: UInt8(1), second: "b"), Pair(first: UInt8(2), second: "c"))
      try expectBack(Pair(first: Pair(first: true, second: 2.5), second: [Padded()]))
      try expectBack(Tree(value: 1, children: [Tree(value: 2, children: [Tree()]), Tree(value: 3)]))
    }

    @Test func enumsComeBack() throws {
      try expectBack(Plain.one, .two, .three)
      try expectBack(Single.none, .some("a"), .some(""), .other)
      try expectBack(
        Multi.nothing, .number(-1), .text("t"), .both(1, "b"), .labelled(width: 1, height: 2.5),
        .padded(Padded(text: "p")), .maybe(nil), .maybe(3), .done)
      try expectBack(WithMulti(), WithMulti(before: 1, multi: .both(4, "x"), plain: .three, after: 2))
    }

    @Test func tuplesInStructsComeBack() throws {
      struct Tuples {
        var plain = (1, "a")
        var labelled = (x: UInt8(1), y: 2.5)
      }
      let place = try LogPlace()
      try place.record { session in
        let holder = Holder<Tuples>()
        session.attach(holder, as: "holder")
        holder.content = Tuples(plain: (2, "b"), labelled: (3, 4))
      }
      let back = try #require(try Recording(place.url).restore(Holder<Tuples>.self, root: "holder").content)
      #expect(back.plain == (2, "b") && back.labelled == (3, 4))
    }

    @Test(arguments: 0..<20)
    func randomValuesComeBack(seed: UInt64) throws {
      var random = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
      func padded() -> Padded {
        Padded(
          small: UInt8(below(256)), wide: Int64(below(1_000)), flag: below(2) == 0, short: Int16(below(9)),
          text: String(repeating: "x", count: below(40)), maybe: below(2) == 0 ? nil : Int32(below(99)))
      }
      func multi() -> Multi {
        switch below(6) {
        case 0: .nothing
        case 1: .number(below(100))
        case 2: .text(String(repeating: "y", count: below(30)))
        case 3: .both(below(9), "z")
        case 4: .padded(padded())
        default: .maybe(below(2) == 0 ? nil : below(4))
        }
      }
      let values = (0..<10).map { _ in
        Pair(
          first: WithMulti(
            before: UInt8(below(256)), multi: multi(), plain: .three, after: UInt8(below(256))),
          second: Outer(
            flag: below(2) == 0, inner: padded(), many: (0..<below(4)).map { _ in padded() },
            named: ["k": padded()], last: below(2) == 0 ? nil : padded()))
      }
      let place = try LogPlace()
      try place.record { session in
        let holder = Holder<Pair<WithMulti, Outer>>()
        session.attach(holder, as: "holder")
        for value in values { holder.many.append(value) }
        for number in 0..<20 { holder.many[below(10)].second.inner.wide = Int64(number) }
        holder.content = holder.many[3]
      }
      let back = try Recording(place.url).restore(Holder<Pair<WithMulti, Outer>>.self, root: "holder")
      #expect(back.content == back.many[3], "seed \(seed)")
      #expect(back.many.map(\.first) == values.map(\.first), "seed \(seed)")
      #expect(back.many.map(\.second.named) == values.map(\.second.named), "seed \(seed)")
    }

    final class Reference {}
    struct WithReference {
      var number = 1
      var reference: Reference? = Reference()
    }
    struct WithWeak {
      var number = 1
      weak var reference: Reference?
    }
    indirect enum Chain {
      case end
      case link(Int, Chain)
    }

    /// A struct that holds an object is not made from its parts: the object may be weak, and is not in the log.
    @Test func whatCannotBeRestoredSaysSo() throws {
      func problem<Content>(_ value: Content) throws -> String {
        let place = try LogPlace()
        try place.record { session in
          let holder = Holder<Content>()
          session.attach(holder, as: "holder")
          holder.content = value
        }
        let error = #expect(throws: RestoreError.self) {
          try Recording(place.url).restore(Holder<Content>.self, root: "holder")
        }
        return error?.description ?? ""
      }
      #expect(try problem(WithReference()).contains("make WithReference Codable"))
      #expect(try problem(WithWeak()).contains("make WithWeak Codable"))
      #expect(try problem(Chain.link(1, .end)).contains("make Chain Codable"))
    }

    @Test func aFieldThatDoesNotFitIsNamedAndNothingLeaks() throws {
      let place = try LogPlace()
      try place.record { session in
        let holder = Holder<Pair<String, Int>>()
        session.attach(holder, as: "holder")
        holder.content = Pair(first: "a text that is not stored in place", second: 2)
      }
      // The same class name with another type of the second field.
      let error = #expect(throws: RestoreError.self) {
        try Recording(
          place.url, migrations: [.type("Holder<Pair<String, Int>>", to: "Holder<Pair<String, Bool>>")]
        ).restore(Holder<Pair<String, Bool>>.self, root: "holder")
      }
      #expect(error?.description.contains("holder.content.second") == true, "\(String(describing: error))")
    }
  }
#endif
