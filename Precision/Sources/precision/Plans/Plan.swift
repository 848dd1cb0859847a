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

  var fault: Fault? { if case .fault(let fault) = role { fault } else { nil } }

  /// Whether an actor of its own is part of it.
  fileprivate var hasActor: Bool { if case .healthy(.ownActor) = role { true } else { false } }

  /// Whether an object of a class that one does not own is part of it.
  fileprivate var follows: Bool {
    switch role {
    case .fault(.followedWhole), .fault(.unrecordedRead), .healthy(.followedPlayer): true
    default: false
    }
  }
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

  var fault: Fault? { subject.fault }

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
      let (role, form) = role(at: index, only: kind)
      return Plan(index: index, seed: seed, role, form)
    }
  }

  /// Each kind is made in one form after the other.
  private static func role(at index: Int, only kind: String?) -> (Part.Role, Form) {
    let forms = Form.allCases
    if let fault = kind.flatMap(Fault.init(rawValue:)) { return (.fault(fault), forms[index % forms.count]) }
    if let healthy = kind.flatMap(Healthy.init(rawValue:)) {
      return (.healthy(healthy), forms[index % forms.count])
    }
    let (faults, healthy) = (Fault.allCases, Healthy.allCases)
    let turn = index / 3
    if index % 3 == 0 {
      return (.healthy(healthy[turn % healthy.count]), forms[(turn / healthy.count) % forms.count])
    }
    let number = 2 * turn + index % 3 - 1
    return (.fault(faults[number % faults.count]), forms[(number / faults.count) % forms.count])
  }

  private init(index: Int, seed: UInt64, _ role: Part.Role, _ form: Form) {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
    let names = random.next()
    let roots = Names(seed: names)
    self.index = index
    self.seed = names
    let rows = random.magnitude(5...150)
    subject = Part(role: role, rows: rows, root: roots.root(), form: form, random: &random)
    let parts = (0..<random.int(0...3)).map { _ in
      Part(
        role: .healthy(random.one(of: Healthy.allCases)), rows: random.magnitude(5...100), root: roots.root(),
        form: random.one(of: Form.allCases), random: &random)
    }
    let around = random.int(0...3)
    let hosting = Self.hosting(of: role, random.int(1...100))
    // What a host does wrong concerns all that it shows.
    let isHostsFault = subject.fault?.habit != nil
    background = isHostsFault ? [] : parts
    // Observation makes what is around a view follow what it reads of a followed object.
    let follows = ([subject] + parts).contains { $0.follows }
    containers = isHostsFault || follows ? 0 : around
    // What another actor is to draw after a flush here, it draws whenever it comes to that.
    let isAlone = !([subject] + parts).contains { $0.hasActor }
    self.hosting = isHostsFault ? .frames : isAlone || hosting != .manual ? hosting : .session
  }

  private static func hosting(of role: Part.Role, _ percent: Int) -> Hosting {
    if case .fault(let fault) = role, !fault.isFaultInFrames { return .session }
    return percent <= 20 ? .frames : percent <= 35 ? .manual : .session
  }
}

extension Part {
  fileprivate init(role: Role, rows: Int, root: String, form: Form, random: inout SplitMix64) {
    self.role = role
    self.rows = rows
    self.root = root
    self.form = form
    domain = random.one(of: Domain.allCases)
    seed = random.next()
    // So many that one recording takes well under a second.
    events = min(random.magnitude(8...240), max(8, 10_000 / rows))
  }
}
