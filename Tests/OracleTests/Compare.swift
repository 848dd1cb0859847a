import EventLog
import Invalidation
import Projection

/// The first difference between the library and the model.
struct Mismatch: CustomStringConvertible {
  var line: Int
  var what: String
  var model: String
  var engine: String

  var description: String { "line \(line): \(what)\nby the rule: \(model)\nby the library: \(engine)" }
}

extension Script {
  /// Plays the session to the library and to the model, side by side. The comparison ends after a line that
  /// both refuse, and after a line that the rule does not cover.
  func mismatch() -> Mismatch? {
    var oracle = Oracle()
    var timeline = Timeline()
    for (index, line) in lines.enumerated() {
      let seq = index + 1
      let isSame = line.body.same ?? oracle.world.staysSame(line.body)
      let event = line.event(seq: seq, isSame: isSame)
      let judged = timeline.state.wouldStaySame(event.body)
      let staysSame = oracle.world.staysSame(line.body)
      var expected: Result<[Oracle.Entry], Refusal>
      do throws(Refusal) { expected = .success(try oracle.apply(line, seq: seq)) } catch {
        expected = .failure(error)
      }
      var actual: Result<[TimelineLine], StateError>
      do throws(StateError) { actual = .success(try timeline.apply(event)) } catch {
        actual = .failure(error)
      }

      switch (expected, actual) {
      case (.failure, .failure): return nil
      case (.failure(let refusal), .success):
        return Mismatch(line: seq, what: "accepted", model: "\(refusal)", engine: "accepted")
      case (.success, .failure(let error)):
        return Mismatch(line: seq, what: "refused", model: "accepted", engine: error.description)
      case (.success(let expected), .success(let actual)):
        let actual = actual.map { Oracle.Entry($0) }
        if expected != actual {
          return Mismatch(line: seq, what: "timeline", model: "\(expected)", engine: "\(actual)")
        }
        if let contradiction = oracle.contradiction {
          return Mismatch(line: seq, what: "the model contradicts itself", model: contradiction, engine: "")
        }
        if judged != staysSame {
          return Mismatch(line: seq, what: "same value", model: "\(staysSame)", engine: "\(judged)")
        }
      }
      if index % 16 == 15 || index == lines.count - 1 {
        let (model, engine) = (oracle.world.text, World(timeline.state).text)
        if model != engine { return Mismatch(line: seq, what: "state", model: model, engine: engine) }
      }
    }
    return nil
  }
}

extension Oracle.Entry {
  init(_ entry: TimelineLine) {
    self.init(
      seq: Int(entry.seq), projection: entry.projection, causes: entry.causes.map { Int($0) },
      cascade: Int(entry.cascade), depth: entry.depth)
  }
}
