/// A part of an app: a store, the views that show it, and what a person does with them.
struct Part: Codable {
  enum Role: Codable {
    case fault(Fault)
    case healthy(Healthy)
  }

  let role: Role
  let domain: Domain
  let form: Form
  let root: String
  /// All else that is random in the part is drawn from it, in the faulty app and in the mended one alike.
  let seed: UInt64
  let rows: Int
  let events: Int
}

/// An app with at most one fault, and the person who drives it: a pure value, made of a seed.
struct Plan: Codable {
  let index: Int
  /// The part that is judged.
  let subject: Part
  /// Healthy parts beside it.
  let background: [Part]
  let hosting: Hosting
  /// How many views are around the parts; none of them reads anything.
  let containers: Int
  let seed: UInt64

  var fault: Fault? { if case .fault(let fault) = subject.role { fault } else { nil } }

  var kind: String {
    switch subject.role {
    case .fault(let fault): fault.rawValue
    case .healthy(let healthy): healthy.rawValue
    }
  }
}

extension Plan {
  /// Plans in which all kinds and forms have about the same share, and a third of which are healthy.
  static func all(seed: UInt64, count: Int, only kind: String?) -> [Plan] {
    (0..<count).map { index in
      Plan(index: index, seed: seed, role: role(at: index, only: kind))
    }
  }

  private static func role(at index: Int, only kind: String?) -> Part.Role {
    if let fault = kind.flatMap(Fault.init(rawValue:)) { return .fault(fault) }
    if let healthy = kind.flatMap(Healthy.init(rawValue:)) { return .healthy(healthy) }
    let turn = index / 3
    if index % 3 == 0 { return .healthy(Healthy.allCases[turn % Healthy.allCases.count]) }
    return .fault(Fault.allCases[(2 * turn + index % 3 - 1) % Fault.allCases.count])
  }

  private init(index: Int, seed: UInt64, role: Part.Role) {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    let names = random.next()
    let roots = Names(seed: names)
    self.index = index
    self.seed = names
    let rows = random.magnitude(5...150)
    subject = Part(role: role, rows: rows, root: roots.root(), random: &random)
    background = (0..<random.int(0...3)).map { _ in
      let healthy = random.one(of: Healthy.allCases)
      return Part(
        role: .healthy(healthy), rows: random.magnitude(5...100), root: roots.root(), random: &random)
    }
    containers = random.int(0...3)
    hosting = random.chance(25) && Self.allowsFrames(role) ? .frames : .session
  }

  private static func allowsFrames(_ role: Part.Role) -> Bool {
    if case .fault(let fault) = role { fault.isFaultInFrames } else { true }
  }
}

extension Part {
  fileprivate init(role: Role, rows: Int, root: String, random: inout SplitMix64) {
    self.role = role
    self.rows = rows
    self.root = root
    domain = random.one(of: Domain.allCases)
    form = random.one(of: Form.allCases)
    seed = random.next()
    // So many that one recording takes well under a second.
    events = min(random.magnitude(8...240), max(8, 10_000 / rows))
  }
}
