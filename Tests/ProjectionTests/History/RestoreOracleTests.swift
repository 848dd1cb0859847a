import EventLog
import Foundation
import LogGenerator
import Projection
import Testing

/// Random sessions, compared at every mark with the expected objects.
@Suite struct RestoringRandomSessions {
  @Test(arguments: 0..<6) func restoringAndApplyingReproduceTheState(_: Int) throws {
    let seed = testSeed()
    try play(seed: seed, steps: 100, jumps: 8)
  }

  private func play(seed: UInt64, steps: Int, jumps: Int) throws {
    let place = try LogPlace()
    var play = PlotPlay(seed: seed)
    var expected: [String: String] = [:]
    try place.record { session in
      session.attach(play.root, as: "plot")
      for number in 0..<steps {
        play.step()
        session.mark("\(number)")
        expected["\(number)"] = play.expected
      }
    }
    let recording = try Recording(place.url)
    var marks: [(seq: UInt64, text: String)] = []
    for step in recording {
      guard case .mark(let label) = step.event.body, let text = expected[label] else { continue }
      marks.append((step.event.seq, text))
    }
    try #require(marks.count == steps, "seed \(seed)")

    for _ in 0..<jumps {
      let mark = try #require(marks.randomElement(using: &play.random))
      let restored = try recording.restore(Plot.self, root: "plot", at: mark.seq)
      try #require(describe(restored) == mark.text, "seed \(seed), restored at \(mark.seq)")
    }
    try jump(jumps, in: recording, marks, &play.random, seed)
  }

  private func jump(
    _ count: Int, in recording: Recording, _ marks: [(seq: UInt64, text: String)],
    _ random: inout SplitMix64, _ seed: UInt64
  ) throws {
    let again = try LogPlace()
    var last = ""
    try again.record { session in
      let live = Plot(id: 1)
      session.attach(live, as: "plot")
      var shown = ""
      session.projection("All") { _ in shown = describe(live) }
      for _ in 0..<count {
        let mark = try #require(marks.randomElement(using: &random))
        // The app may have changed its objects meanwhile.
        if Bool.random(using: &random) { live.text += "!" }
        if Bool.random(using: &random), !live.parts.isEmpty { live.parts.removeLast() }
        let problems = try session.apply(recording, through: mark.seq)
        try #require(problems.isEmpty, "seed \(seed)")
        try #require(describe(live) == mark.text, "seed \(seed), applied through \(mark.seq)")
        try #require(shown == mark.text, "seed \(seed), shown at \(mark.seq)")
        last = mark.text
      }
      #expect(session.diagnostics.isEmpty, "seed \(seed)")
    }
    // The recorded events agree with the actions.
    let restored = try Recording(again.url).restore(Plot.self, root: "plot")
    #expect(describe(restored) == last, "seed \(seed)")
  }
}
