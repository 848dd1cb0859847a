/// Who ran whenever its parent did, as far as the log tells.
struct Followers {
  private struct Known {
    /// Its own runs, for its children to be compared with.
    var runs: Int32 = 0
    /// The parent's runs when it was created.
    var runsAtBirth: Int32 = 0
    /// Its runs within runs of the parent, the first not counted.
    var runsWithin: Int32 = 0
    /// Whether it ran with its parent although nothing that it read had changed.
    var hasFollowed = false
  }

  /// By name.
  private var known: [Known] = []
  /// Parents of whose children it is known which are skipped.
  private var searched: Set<Int32> = []

  /// Takes in a flush whose runs are nested.
  mutating func learn(_ flush: borrowing FlushRuns, _ ledger: inout PredictionLedger) {
    let entries = flush.entries
    for entry in entries {
      reserve(Int(max(entry.name, entry.parent)))
      if !entry.isFirst { known[Int(entry.name)].runs &+= 1 }
    }
    var direct: [Int32: Int] = [:]
    for entry in entries where entry.within >= 0 && entries[Int(entry.within)].name == entry.parent {
      let name = Int(entry.name)
      direct[entry.within, default: 0] += 1
      if entry.isFirst {
        known[name].runsAtBirth = known[Int(entry.parent)].runs
        known[name].runsWithin = 0
        known[name].hasFollowed = false
      } else {
        known[name].runsWithin &+= 1
        if !entry.wasWoken {
          known[name].hasFollowed = true
          ledger.noteFollowed(entry.group)
        }
      }
    }
    for (place, entry) in entries.enumerated() where !entry.isFirst && !searched.contains(entry.name) {
      guard direct[Int32(place), default: 0] < flush.lives[Int(entry.name)].childCount else { continue }
      searched.insert(entry.name)
      let ran = Set(entries.lazy.filter { $0.within == place }.map(\.name))
      flush.lives.forEachChild(of: Int(entry.name)) { child in
        let life = flush.lives[child]
        if life.hasRun, !ran.contains(Int32(child)) { ledger.noteSkipped(life.group) }
      }
    }
  }

  /// Whether a projection would run with its parent, if it were not woken itself.
  func answer(_ name: Int, _ lives: borrowing LivingProjections) -> Outcome {
    let life = lives[name]
    guard name < known.count, life.parent >= 0, Int(life.parent) < known.count else {
      return .asks(life.group)
    }
    let runs = known[Int(life.parent)].runs - known[name].runsAtBirth
    if known[name].runsWithin < runs { return .stays }
    return runs >= 2 && known[name].hasFollowed ? .runs : .asks(life.group)
  }

  private mutating func reserve(_ name: Int) {
    guard name >= known.count else { return }
    known.append(contentsOf: repeatElement(Known(), count: max(name + 1, 2 * known.count) - known.count))
  }
}
