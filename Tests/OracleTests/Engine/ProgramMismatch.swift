import Projection

/// Where a session differed from the prediction.
struct ProgramMismatch: CustomStringConvertible {
  var step: Int
  var predicted: [String]
  var seen: [String]

  var description: String {
    """
    step \(step)
    by the semantics: \(predicted.joined(separator: "; "))
    by the library:   \(seen.joined(separator: "; "))
    """
  }
}

extension Program {
  /// Plays the program to the library and to the model, and compares after every step.
  @MainActor func mismatch() async -> ProgramMismatch? {
    do {
      let player = try ProgramPlayer(self)
      defer { try? player.close() }
      return await mismatch(player)
    } catch {
      return ProgramMismatch(step: 0, predicted: [], seen: ["\(error)"])
    }
  }

  @MainActor func mismatch(_ player: ProgramPlayer) async -> ProgramMismatch? {
    let model = SessionModel(self)
    for (index, step) in (steps + [.flush]).enumerated() {
      let (traced, seen) = (model.trace.count, player.trace.count)
      model.perform(step)
      if case .advance(let ticks) = step { await player.advance(by: ticks) } else { player.perform(step) }
      if model.isEndless {
        return player.diagnostics.isEmpty
          ? ProgramMismatch(step: index, predicted: ["an endless flush"], seen: []) : nil
      }
      let expected = model.trace[traced...]
      let actual = player.trace[seen...] + player.diagnostics
      if expected != actual {
        return ProgramMismatch(step: index, predicted: Array(expected), seen: Array(actual))
      }
    }
    return nil
  }
}
