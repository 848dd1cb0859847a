import LogGenerator
import Projection

/// A model with every way of holding values and objects.
@Recorded final class Plot: Identifiable {
  let id: Int
  var text = ""
  var scores: [String: Int] = [:]
  var tags: RecordedArray<Tag> = []
  var parts: RecordedArray<Plot> = []
  var links: RecordedDictionary<String, Plot> = [:]
  var favorite: Plot?
  weak var back: Plot?

  init(id: Int) { self.id = id }
}

/// The same as plain values without a session: the expected result.
struct PlainPlot {
  var text = ""
  var scores: [String: Int] = [:]
  var tags: [Tag] = []
  var parts: [Int] = []
  var links: [String: Int] = [:]
  var favorite: Int?
  var back: Int?
}

/// One line for each plot that is reached from the first, by id.
func describe(_ root: Int, _ plots: [Int: PlainPlot]) -> String {
  var reached: Set<Int> = []
  var waiting = [root]
  while let id = waiting.popLast() {
    guard let plot = plots[id], reached.insert(id).inserted else { continue }
    waiting += plot.parts + Array(plot.links.values) + (plot.favorite.map { [$0] } ?? [])
  }
  return reached.sorted().map { id in
    let plot = plots[id] ?? PlainPlot()
    // An object without other references may be freed.
    let back = plot.back.flatMap { reached.contains($0) ? $0 : nil }
    let scores = plot.scores.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined(separator: ",")
    let links = plot.links.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined(separator: ",")
    let tags = plot.tags.map { "\($0.id)\($0.name)\($0.note ?? "-")" }.joined(separator: ",")
    let (favorite, behind) = (plot.favorite.map(String.init) ?? "-", back.map(String.init) ?? "-")
    return "\(id) '\(plot.text)' \(scores) [\(tags)] \(plot.parts) {\(links)} \(favorite) \(behind)"
  }.joined(separator: "\n")
}

func describe(_ root: Plot) -> String {
  var plots: [Int: PlainPlot] = [:]
  var waiting = [root]
  while let plot = waiting.popLast() {
    if plots[plot.id] != nil { continue }
    plots[plot.id] = PlainPlot(
      text: plot.text, scores: plot.scores, tags: plot.tags.elements, parts: plot.parts.map(\.id),
      links: plot.links.entries.mapValues(\.id), favorite: plot.favorite?.id, back: plot.back?.id)
    waiting += plot.parts.elements + Array(plot.links.values) + (plot.favorite.map { [$0] } ?? [])
  }
  return describe(root.id, plots)
}

/// Plays the same random changes on live plots and on plain ones.
struct PlotPlay {
  var random: SplitMix64
  private(set) var plain: [Int: PlainPlot] = [1: PlainPlot()]
  /// All plots ever created, retained so that no weak reference becomes nil.
  private(set) var live: [Int: Plot]
  let root: Plot

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    root = Plot(id: 1)
    live = [1: root]
  }

  var expected: String { describe(1, plain) }

  mutating func step() {
    let id = pick()
    guard let plot = live[id] else { return }
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      plot.text = "t\(random.next() % 100)"
      plain[id]?.text = plot.text
    case 1:
      plot.text += "é"
      plain[id]?.text += "é"
    case 2:
      let (key, value) = ("k\(random.next() % 3)", Int(random.next() % 9))
      plot.scores[key] = value
      plain[id]?.scores[key] = value
    case 3:
      plot.scores["k0"] = nil
      plain[id]?.scores["k0"] = nil
    case 4:
      let tag = Tag(id: Int(random.next() % 1000), name: "n", note: nil)
      if plot.tags.contains(where: { $0.id == tag.id }) { return }
      plot.tags.append(tag)
      plain[id]?.tags.append(tag)
    case 5: editTag(of: plot, id)
    case 6, 7: addPart(to: plot, id)
    case 8: removePart(of: plot, id)
    case 9: movePart(of: plot, id)
    case 10:
      let (key, other) = ("l\(random.next() % 3)", pick())
      plot.links[key] = live[other]
      plain[id]?.links[key] = other
    case 11:
      plot.links["l1"] = nil
      plain[id]?.links["l1"] = nil
    case 12:
      let other = Bool.random(using: &random) ? pick() : nil
      plot.favorite = other.flatMap { live[$0] }
      plain[id]?.favorite = other
    default:
      let other = pick()
      plot.back = live[other]
      plain[id]?.back = other
    }
  }

  /// One of the present plots.
  private mutating func pick() -> Int { live.keys.sorted().randomElement(using: &random) ?? 1 }

  private mutating func editTag(of plot: Plot, _ id: Int) {
    guard let index = plot.tags.indices.randomElement(using: &random) else { return }
    if Bool.random(using: &random) {
      plot.tags[index].note = "x\(random.next() % 10)"
      plain[id]?.tags[index].note = plot.tags[index].note
    } else {
      plot.tags.remove(at: index)
      plain[id]?.tags.remove(at: index)
    }
  }

  private mutating func addPart(to plot: Plot, _ id: Int) {
    let number = live.count + 1
    guard number <= 30 else { return }
    let part = Plot(id: number)
    part.text = "new"
    live[number] = part
    plain[number] = PlainPlot(text: "new")
    let index = Int.random(in: 0...plot.parts.count, using: &random)
    plot.parts.insert(part, at: index)
    plain[id]?.parts.insert(number, at: index)
  }

  private mutating func removePart(of plot: Plot, _ id: Int) {
    guard let index = plot.parts.indices.randomElement(using: &random) else { return }
    plot.parts.remove(at: index)
    plain[id]?.parts.remove(at: index)
  }

  private mutating func movePart(of plot: Plot, _ id: Int) {
    guard plot.parts.count > 1 else { return }
    let (a, b) = (0, plot.parts.count - 1)
    plot.parts.swapAt(a, b)
    plain[id]?.parts.swapAt(a, b)
  }
}
