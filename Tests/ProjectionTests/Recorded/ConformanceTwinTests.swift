import Foundation
import Observation
import Projection
import Testing

/// Protocols that `@Observable` classes of apps conform to.
@Suite struct ConformanceTwins {
  @Test func synthesisedCodingReadsWhatAnObservableClassWrote() throws {
    let plain = PlainCoded()
    plain.count = 5
    plain.name = "n"
    let old = try JSONEncoder().encode(plain)
    let twin = try JSONDecoder().decode(LoggedCoded.self, from: old)
    #expect(twin.count == 5 && twin.name == "n")
    let new = try JSONEncoder().encode(twin)
    let back = try JSONDecoder().decode(PlainCoded.self, from: new)
    #expect(back.count == 5 && back.name == "n")
  }

  @Test func codingByNamedKeysWritesTheSameBytes() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(LoggedKeyed())
    #expect(try encoder.encode(PlainKeyed()) == data)
    #expect(String(decoding: data, as: UTF8.self) == #"{"count":1,"tags":["a"]}"#)
    #expect(try JSONDecoder().decode(LoggedKeyed.self, from: data).tags == ["a"])
  }

  /// Without coding keys a class encodes all its stored properties, but none that the macro adds.
  @Test func synthesisedCodingWritesNothingOfTheMacros() throws {
    func object(_ value: some Encodable) throws -> NSDictionary {
      let data = try JSONEncoder().encode(value)
      return try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
    }
    let twin = try object(LoggedWhole())
    #expect(twin == ["_count": 1, "_tags": ["a"], "_inner": ["_count": 1]])
    let plain = try #require(try object(PlainWhole()).mutableCopy() as? NSMutableDictionary)
    let inner = try #require((plain["_inner"] as? NSDictionary)?.mutableCopy() as? NSMutableDictionary)
    plain.removeObject(forKey: "_$observationRegistrar")
    inner.removeObject(forKey: "_$observationRegistrar")
    plain["_inner"] = inner
    #expect(twin == plain)
  }

  @Test(arguments: [
    #"{"_count":7,"_tags":[],"_inner":{"_count":3}}"#,
    #"{"_$recorded":{},"_$observers":{},"_count":7,"_tags":[],"_inner":{"_$recorded":{},"_count":3}}"#,
    #"{"_$observationRegistrar":{},"_count":7,"_tags":[],"_inner":{"_$observationRegistrar":{},"_count":3}}"#,
  ]) func synthesisedCodingReadsWhatOthersWrote(json: String) throws {
    let whole = try JSONDecoder().decode(LoggedRead.self, from: Data(json.utf8))
    #expect(whole.count == 7 && whole.tags == [] && whole.inner.count == 3)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(whole), as: UTF8.self)
    #expect(text == #"{"_count":7,"_inner":{"_count":3},"_tags":[]}"#)
  }

  @Test func equatableAndHashableClassesAreWhatTheySayTheyAre() {
    let (a, b) = (LoggedIdentity(id: 1), LoggedIdentity(id: 1))
    #expect(a == b && a.hashValue == b.hashValue)
    #expect(Set([a, b, LoggedIdentity(id: 2)]).count == 2)
    let journal = Journal()
    journal.watch("id") { _ = Set([a]) }
    a.id = 3
    #expect(journal.lines == ["id changes"])
  }

  @Test func requirementsOfProtocolsAreReadAndWrittenThroughThem() {
    let model = LoggedIdentity(id: 1)
    let some: any Countable = model
    let journal = Journal()
    journal.watch("id") { _ = some.id }
    some.id += 1
    bump(model)
    #expect(model.id == 3)
    #expect(journal.lines == ["id changes"])

    func bump<T: Countable>(_ model: T) { model.id += 1 }
  }

  @Test func computedPropertiesAreObservedByHandAsInAnObservableClass() {
    func script(_ model: some ByHand) -> [String] {
      let journal = Journal()
      journal.watch("manual") { _ = model.manual }
      model.manual = 3
      model.manual = 4
      journal.watch("manual") { _ = model.manual }
      return journal.lines + ["\(model.manual)"]
    }
    #expect(script(LoggedByHand()) == ["manual changes", "4"])
    #expect(script(PlainByHand()) == ["manual changes", "4"])
  }
}

@Observable private final class PlainCoded: Codable {
  var count = 1
  var name: String?
  init() {}
  enum CodingKeys: CodingKey { case _count, _name }
}

@Recorded private final class LoggedCoded: Codable {
  var count = 1 { didSet { name = nil } }
  var name: String?
  init() {}
  enum CodingKeys: CodingKey { case _count, _name }
}

@Observable private final class PlainKeyed: Codable {
  var count = 1
  var tags = ["a"]
  init() {}
  enum CodingKeys: String, CodingKey { case _count = "count", _tags = "tags" }
}

@Recorded private final class LoggedKeyed: Codable {
  var count = 1
  var tags = ["a"]
  init() {}
  enum CodingKeys: String, CodingKey { case _count = "count", _tags = "tags" }
}

@Observable private final class PlainWhole: Encodable {
  var count = 1
  var tags = ["a"] { didSet { count += 1 } }
  var inner = PlainPart()
}

@Observable private final class PlainPart: Encodable {
  var count = 1
}

@Recorded private final class LoggedWhole: Encodable {
  var count = 1
  var tags = ["a"] { didSet { count += 1 } }
  var inner = LoggedPart()
}

@Recorded private final class LoggedPart: Encodable {
  var count = 1
}

/// As `Codable` with keys that are not named, for which the compiler warns of every `let` with a value.
@Recorded private final class LoggedRead: Codable {
  var count = 1
  var tags = ["a"] { didSet { count += 1 } }
  var inner = LoggedReadPart()
  init() {}
  enum CodingKeys: CodingKey { case _count, _tags, _inner, _$recorded, _$observers }
}

@Recorded private final class LoggedReadPart: Codable {
  var count = 1
  init() {}
  enum CodingKeys: CodingKey { case _count, _$recorded }
}

private protocol Countable: AnyObject { var id: Int { get set } }

@Recorded private final class LoggedIdentity: Countable, Hashable, Identifiable {
  var id: Int
  init(id: Int) { self.id = id }
  static func == (a: LoggedIdentity, b: LoggedIdentity) -> Bool { a.id == b.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private protocol ByHand: AnyObject { var manual: Int { get set } }

@Observable private final class PlainByHand: ByHand {
  @ObservationIgnored private var stored = 1
  var manual: Int {
    get {
      access(keyPath: \.manual)
      return stored
    }
    set { withMutation(keyPath: \.manual) { stored = newValue } }
  }
}

@Recorded private final class LoggedByHand: ByHand {
  @ObservationIgnored private var stored = 1
  var manual: Int {
    get {
      access(keyPath: \.manual)
      return stored
    }
    set { withMutation(keyPath: \.manual) { stored = newValue } }
  }
}
