import Projection

/// Sets of properties of the kinds that take longer than a scalar.
enum ValueSets {
  /// What is counted, and the set for a turn: each changes the property.
  static let all: [(name: String, set: @Sendable (KindsOfValues, Int) -> Void)] = [
    ("assign a new child object", { model, _ in model.child = Cell() }),
    ("assign a new child object of five properties", { model, turn in model.person = Person(age: turn) }),
    (
      "set an enum with a payload",
      { model, turn in
        model.outcome = turn & 1 == 0 ? .running(progress: Double(turn)) : .failed(code: turn, reason: "no")
      }
    ),
    ("set a field of a Codable struct", { model, turn in model.profile.age = -turn }),
    ("set an array of 3 strings", { model, turn in model.tags = KindsOfValues.tags[turn & 1] }),
    (
      "insert in or remove from a Set of 100",
      { model, turn in if turn & 1 == 0 { model.chosen.insert(1_000) } else { model.chosen.remove(1_000) } }
    ),
  ]
}

struct Profile: Equatable, Codable {
  var name = "Ada"
  var age = 36
  var city = "London"
}

enum Outcome: Equatable {
  case waiting
  case running(progress: Double)
  case failed(code: Int, reason: String)
}

@Recorded final class Person {
  var name = "Ada Lovelace"
  var age: Int
  var city = "London"
  var isAdmin = false
  var balance = 0.5

  init(age: Int) { self.age = age }
}

@Recorded final class KindsOfValues {
  var child = Cell()
  var person = Person(age: 0)
  var outcome = Outcome.waiting
  var profile = Profile()
  var tags = KindsOfValues.tags[1]
  var chosen = Set(0..<100)

  static let tags = [["swift", "log", "bench"], ["swift", "log", "test"]]
}
