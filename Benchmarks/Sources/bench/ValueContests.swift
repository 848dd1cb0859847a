import BenchSupport
import Foundation
import Observation
import Projection

private struct User: Equatable {
  var name = "Ada"
  var age = 36
  var city = "London"
}

private struct Account: Equatable {
  var user = User()
  var balance = 0.5
}

private struct Profile: Equatable, Codable {
  var name = "Ada"
  var age = 36
  var city = "London"
}

private enum Phase: Equatable { case idle, loading, done }

private enum Outcome: Equatable {
  case waiting
  case running(progress: Double)
  case failed(code: Int, reason: String)
}

/// The same properties in both kinds of object. Their types are concrete, because the compiler must find code
/// that is specialised for one type here as it does in an app.
private protocol MixedModel: AnyObject {
  associatedtype Child: AnyObject
  var number: Int { get set }
  var ratio: Double { get set }
  var optional: Int? { get set }
  var note: String? { get set }
  var created: Date { get set }
  var token: UUID { get set }
  var link: URL { get set }
  var phase: Phase { get set }
  var outcome: Outcome { get set }
  var user: User { get set }
  var account: Account { get set }
  var profile: Profile { get set }
  var tags: [String] { get set }
  var chosen: Set<Int> { get set }
  var child: Child { get set }

  static func makeChild() -> Child
}

@Observable private final class ObservableMixed: MixedModel {
  var number = 0
  var ratio = 0.0
  var optional: Int?
  var note: String?
  var created = Date(timeIntervalSince1970: 0)
  var token = UUID()
  var link = URL(filePath: "/")
  var phase = Phase.idle
  var outcome = Outcome.waiting
  var user = User()
  var account = Account()
  var profile = Profile()
  var tags = ["swift", "log", "bench"]
  var chosen = Set(0..<100)
  var child = ObservableOne()

  static func makeChild() -> ObservableOne { ObservableOne() }
}

@Recorded private final class RecordedMixed: MixedModel {
  var number = 0
  var ratio = 0.0
  var optional: Int?
  var note: String?
  var created = Date(timeIntervalSince1970: 0)
  var token = UUID()
  var link = URL(filePath: "/")
  var phase = Phase.idle
  var outcome = Outcome.waiting
  var user = User()
  var account = Account()
  var profile = Profile()
  var tags = ["swift", "log", "bench"]
  var chosen = Set(0..<100)
  var child = Cell()

  static func makeChild() -> Cell { Cell() }
}

/// A kind of value that real models have.
private enum ValueKind: String, CaseIterable {
  case number = "Int"
  case ratio = "Double"
  case optional = "Int?"
  case note = "String?"
  case created = "Date"
  case token = "UUID"
  case link = "URL"
  case phase = "enum"
  case outcome = "enum with a payload"
  case userAge = "a field of a struct"
  case accountUserAge = "a field of a struct in a struct"
  case profileAge = "a field of a Codable struct"
  case tags = "an array of 3 strings"
  case chosen = "a Set of 100, insert or remove"
  case child = "a new child object"

  /// Sets the property this many times, each time to something else.
  func work(on model: some MixedModel, _ count: Int) -> () -> Void {
    switch self {
    case .number: return { for turn in 1...count { model.number = turn } }
    case .ratio: return { for turn in 1...count { model.ratio = Double(turn) } }
    case .optional: return { for turn in 1...count { model.optional = turn % 4 == 0 ? nil : turn } }
    case .note:
      let notes = (0..<count).map { $0 % 3 == 1 ? nil : "note \($0)" }
      return { for note in notes { model.note = note } }
    case .created:
      return { for turn in 1...count { model.created = Date(timeIntervalSince1970: Double(turn)) } }
    case .token:
      let ids = (0..<count).map { _ in UUID() }
      return { for id in ids { model.token = id } }
    case .link:
      let links = (0..<count).compactMap { URL(string: "https://example.org/\($0)") }
      return { for link in links { model.link = link } }
    case .phase: return { for turn in 0..<count { model.phase = turn & 1 == 0 ? .loading : .done } }
    case .outcome:
      return {
        for turn in 0..<count {
          model.outcome = turn & 1 == 0 ? .running(progress: Double(turn)) : .failed(code: turn, reason: "no")
        }
      }
    case .userAge: return { for turn in 1...count { model.user.age = -turn } }
    case .accountUserAge: return { for turn in 1...count { model.account.user.age = -turn } }
    case .profileAge: return { for turn in 1...count { model.profile.age = -turn } }
    case .tags:
      let tags = (0..<count).map { ["swift", "log", "tag \($0)"] }
      return { for tags in tags { model.tags = tags } }
    case .chosen:
      return {
        for turn in 0..<count {
          if turn & 1 == 0 { model.chosen.insert(1_000 + turn) } else { model.chosen.remove(999 + turn) }
        }
      }
    case .child: return { for _ in 0..<count { model.child = type(of: model).makeChild() } }
    }
  }

  func contest(_ operations: Int) -> Contest {
    Contest(
      title: "value, \(rawValue): a set that changes it, nobody watches", operations: operations,
      contenders: [
        Contest.Contender(name: "@Observable, unrecorded") { work(on: ObservableMixed(), $0) },
        Contest.Contender(name: "@Recorded, in no session") { work(on: RecordedMixed(), $0) },
        Contest.Contender(name: "@Recorded, session that records nothing") { count in
          let session = Session()
          return attached(to: session, count) { consume(session) }
        },
        Contest.Contender(name: "@Recorded, recorded to a file") { count in
          let recording = try RecordingSession()
          return attached(to: recording.session, count) { consume(recording) }
        },
      ])
  }

  private func attached(to session: Session, _ count: Int, _ end: @escaping () -> Void) -> () -> Void {
    let model = RecordedMixed()
    session.attach(model, as: "model")
    let work = work(on: model, count)
    return {
      work()
      end()
    }
  }
}

extension Contest {
  /// Sets of properties of all kinds.
  static func values(_ operations: Int) -> [Contest] { ValueKind.allCases.map { $0.contest(operations) } }
}
