extension Prediction {
  /// What the prediction rests on, and what the log cannot know, in sentences.
  func limits(_ rules: WhatIfRules) -> [String] {
    let lives = flush.lives
    var limits: [String] = []
    for (group, read) in doubts.wholeReads.sorted(by: { $0.key < $1.key }) {
      let name = lives.groups[Int(group)]
      limits.append(
        "\(name) reads \(read.path) as a whole, so every write within wakes it: which elements it uses, the log"
          + " does not know. A RecordedArray or RecordedDictionary would tell"
          + (read.hasParent ? "; handing the value in is priced by --input '\(name):\(read.path)'." : "."))
    }
    if !other.newChildren.isEmpty {
      limits.append(
        "The child that reads what was isolated is taken to run whenever its parent does. What it takes is not"
          + " known: a run of its own counts as long as a run of its parent did, which is the most it can be."
      )
    }
    if doubts.equalByOutput > 0 {
      limits.append(
        "\(Units.count(doubts.equalByOutput, "run")) drew the same as before and count as skipped for an equal"
          + " input. An input that differs without being drawn would run them all the same.")
    }
    limits += throttling(rules)
    for group in other.orphans.sorted() {
      limits.append("\(group) has no parent that could hand it anything.")
    }
    if doubts.createdBySkipped > 0 {
      limits.append(
        "\(Units.count(doubts.createdBySkipped, "projection")) first ran within a run that would not take place;"
          + " they count as made by a later one.")
    }
    if ledger.extraCount > 0 {
      limits.append("A run that the log does not have counts as long as the mean of its group.")
    }
    if !ledger.hasRuns {
      limits.append("Nothing ran in this part of the log, so there is nothing to predict.")
    }
    return limits
  }

  private func throttling(_ rules: WhatIfRules) -> [String] {
    let leftOut = other.leftOut
    guard rules.dropsSets else { return [] }
    var limits: [String] = []
    let behind = leftOut.behindCount
    if !rules.throttles.isEmpty {
      var text =
        "\(Units.count(leftOut.count - leftOut.causedCount, "set")) would be left out: a place is set once in each"
        + " interval, and sets between are lost."
      if behind > 0 {
        text +=
          " A throttle that also delivers the last value would add at least a set for each of"
          + " \(Units.count(behind, "place"))."
      }
      limits.append(text)
    }
    if !rules.quiet.isEmpty, rules.throttles.isEmpty {
      limits.append(
        "\(Units.count(leftOut.count - leftOut.causedCount, "set")) to an equal value would be left out; where nobody"
          + " follows a whole object or hears every set, they wake nobody as it is.")
    }
    if leftOut.causedCount > 0 {
      limits.append(
        "\(Units.count(leftOut.causedCount, "set")) that callbacks or derived values made because of these would be"
          + " left out with them.")
    }
    if leftOut.keptCount > 0 {
      limits.append(
        "\(Units.count(leftOut.keptCount, "write")) of texts, arrays and objects could not be left out, because later"
          + " events refer to them.")
    }
    return limits
  }
}
