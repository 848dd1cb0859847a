import EventLog
import LogGenerator
import Projection

@Recorded final class HostedRow {
  let id: Int
  var title = 0
  init(id: Int) { self.id = id }
}

@Recorded final class HostedModel {
  var a = 0
  var b = 0
  var isOpen = true
  var list: [Int] = []
  var rows: RecordedArray<HostedRow> = []
}

/// Nested views, and changes of the values that they show.
struct HostedProgram {
  /// The values that a view can show.
  enum Look: CaseIterable {
    case a, b, half, isOpen, oneOfTwo, list, count, titles, title, derived
  }

  struct View {
    var name: String
    var tracking: Tracking
    var looks: [Look]
    var children: [Child] = []
  }

  struct Child {
    var view: View
    /// Whether there is one for each row.
    var isEach: Bool
    /// Its input; without one, it runs with its parent.
    var input: Look?
    /// It exists while this is not "0".
    var condition: Look?
  }

  indirect enum Step {
    case setA(Int), setB(Int), setOpen(Bool), setList([Int])
    case append(Int)
    case remove(at: Int)
    case setTitle(at: Int, Int)
    case transaction([Step])
    /// Ends the collection of changes.
    case flush
  }

  var views: [View]
  var steps: [Step]
  /// Whether changes are collected until they are flushed.
  var collects: Bool
}

// MARK: Random programs

extension HostedProgram {
  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var count = 0
    views = (0...Int.random(in: 0...1, using: &random)).map { _ in Self.view(&count, depth: 0, &random) }
    collects = Int.random(in: 0..<5, using: &random) == 0
    steps = (0..<Int.random(in: 3...16, using: &random)).map { _ in Self.step(&random) }
    if collects { steps = steps.flatMap { Bool.random(using: &random) ? [$0] : [$0, .flush] } + [.flush] }
  }

  private static func view(_ count: inout Int, depth: Int, _ random: inout SplitMix64) -> View {
    var view = View(
      name: "V\(count)", tracking: Tracking.allCases.randomElement(using: &random) ?? .element,
      looks: (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
        Look.allCases.randomElement(using: &random)
      })
    count += 1
    if depth == 3 { return view }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      view.children.append(
        Child(
          view: Self.view(&count, depth: depth + 1, &random),
          isEach: Int.random(in: 0..<3, using: &random) == 0,
          input: Bool.random(using: &random) ? Look.allCases.randomElement(using: &random) : nil,
          condition: Int.random(in: 0..<3, using: &random) == 0
            ? Look.allCases.randomElement(using: &random) : nil))
    }
    return view
  }

  private static func step(_ random: inout SplitMix64, isNested: Bool = false) -> Step {
    let small = Int.random(in: 0...2, using: &random)
    switch Int.random(in: 0..<(isNested ? 8 : 10), using: &random) {
    case 0, 1: return .setA(small)
    case 2: return .setB(small)
    case 3: return .setOpen(small == 0)
    case 4: return .setList(Array(repeating: 1, count: small))
    case 5: return .append(small)
    case 6: return .remove(at: small)
    case 7: return .setTitle(at: small, Int.random(in: 0...2, using: &random))
    default:
      return .transaction(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in step(&random, isNested: true) })
    }
  }
}

// MARK: What it does to the model, and what it shows of it

extension HostedProgram.Step {
  func apply(to model: HostedModel, in session: Session) {
    switch self {
    case .setA(let value): model.a = value
    case .setB(let value): model.b = value
    case .setOpen(let value): model.isOpen = value
    case .setList(let value): model.list = value
    case .append(let title):
      let row = HostedRow(id: (model.rows.map(\.id).max() ?? 0) + 1)
      row.title = title
      model.rows.append(row)
    case .remove(let index): if index < model.rows.count { model.rows.remove(at: index) }
    case .setTitle(let index, let title): if index < model.rows.count { model.rows[index].title = title }
    case .transaction(let steps):
      session.transaction { for step in steps { step.apply(to: model, in: session) } }
    case .flush: session.flush()
    }
  }
}

extension HostedProgram.Look {
  func text(_ model: HostedModel, _ row: HostedRow?, _ derived: Derived<Int>) -> String {
    switch self {
    case .a: "\(model.a)"
    case .b: "\(model.b)"
    case .half: "\(model.a / 2)"
    case .isOpen: model.isOpen ? "1" : "0"
    case .oneOfTwo: model.isOpen ? "\(model.a)" : "\(model.b)"
    case .list: "\(model.list.count)"
    case .count: "\(model.rows.count)"
    case .titles: "\(model.rows.map(\.title))"
    case .title: "\(row?.title ?? -1)"
    case .derived: "\(derived.value)"
    }
  }
}

extension HostedProgram.View {
  /// A child that the view shows, for a row if it is one of many.
  struct Shown {
    var child: HostedProgram.Child
    var row: HostedRow?
    var id: AnyHashable?
    var input: String?
  }

  /// The values of the model that the view shows, and its children, in order.
  ///
  /// Everything is read before the first child runs, because a hosted child runs after this body has
  /// returned.
  func show(
    _ model: HostedModel, _ row: HostedRow?, _ derived: Derived<Int>, _ note: (String) -> Void
  ) -> (text: String, children: [Shown]) {
    let text = looks.map { $0.text(model, row, derived) }.joined(separator: " ")
    note("\(name) \(row.map { "\($0.id)" } ?? "-"): \(text)")
    var shown: [Shown] = []
    for child in children {
      if let condition = child.condition, condition.text(model, row, derived) == "0" { continue }
      let rows: [HostedRow?] = child.isEach ? Array(model.rows) : [row]
      for row in rows {
        shown.append(
          Shown(
            child: child, row: row, id: child.isEach ? row.map { AnyHashable($0.id) } : nil,
            input: child.input?.text(model, row, derived)))
      }
    }
    return (text, shown)
  }
}

// MARK: Smaller ones

extension HostedProgram {
  /// Programs that are a little smaller.
  var smaller: [HostedProgram] {
    func changed(_ change: (inout HostedProgram) -> Void) -> HostedProgram {
      var program = self
      change(&program)
      return program
    }
    var programs: [HostedProgram] = []
    for size in [8, 4, 2, 1] where size <= steps.count {
      for start in 0...(steps.count - size) {
        programs.append(changed { $0.steps.removeSubrange(start..<start + size) })
      }
    }
    for (index, step) in steps.enumerated() {
      guard case .transaction(let inner) = step else { continue }
      programs.append(changed { $0.steps.replaceSubrange(index...index, with: inner) })
      for left in inner.indices {
        var fewer = inner
        fewer.remove(at: left)
        programs.append(changed { $0.steps[index] = .transaction(fewer) })
      }
    }
    if collects { programs.append(changed { $0.collects = false }) }
    for index in views.indices {
      programs.append(changed { $0.views.remove(at: index) })
      programs += views[index].smaller.map { view in changed { $0.views[index] = view } }
    }
    return programs
  }

  /// The smallest program found that still fails.
  func shrunk(while fails: (HostedProgram) -> Bool) -> HostedProgram {
    var best = self
    while let next = best.smaller.first(where: fails) { best = next }
    return best
  }
}

extension HostedProgram.View {
  fileprivate var smaller: [HostedProgram.View] {
    func changed(_ change: (inout HostedProgram.View) -> Void) -> HostedProgram.View {
      var view = self
      change(&view)
      return view
    }
    var views = looks.indices.map { index in changed { $0.looks.remove(at: index) } }
    if tracking != .element { views.append(changed { $0.tracking = .element }) }
    for (index, child) in children.enumerated() {
      views.append(changed { $0.children.remove(at: index) })
      if child.isEach { views.append(changed { $0.children[index].isEach = false }) }
      if child.input != nil { views.append(changed { $0.children[index].input = nil }) }
      if child.condition != nil { views.append(changed { $0.children[index].condition = nil }) }
      views += child.view.smaller.map { view in changed { $0.children[index].view = view } }
    }
    return views
  }
}
