import EventLog
import Foundation
import Projection

/// One way of replaying a trace, and how long its edits took.
struct Pass {
  var name: String
  var duration: Duration
  var text: String
}

/// Replays a trace in several ways, each of which does a little more than the one before.
struct Passes {
  let trace: Trace
  let patches: [Trace.Patch]

  init(_ trace: Trace) {
    self.trace = trace
    patches = trace.patches
  }

  func plainString() throws -> Pass {
    var text = trace.startContent
    let duration = try ContinuousClock().measure { for patch in patches { try text.apply(patch) } }
    return Pass(name: "a String", duration: duration, text: text)
  }

  func detached() throws -> Pass {
    let document = Document(text: trace.startContent)
    let duration = try edit(document)
    return Pass(name: "a recorded object without a session", duration: duration, text: document.text)
  }

  func unrecorded() throws -> Pass {
    let document = Document(text: trace.startContent)
    let session = Session()
    session.attach(document, as: "document")
    let duration = try edit(document)
    try session.close()
    return Pass(name: "a session that records nothing", duration: duration, text: document.text)
  }

  /// Records a log; the time to complete it is part of the duration.
  ///
  /// - Parameter visit: Called after some patches, with their number so far and the text; the time it takes is not
  ///   counted.
  func recorded(
    to output: URL, stoppingAfter stops: [Int], _ visit: (_ patches: Int, _ text: String) -> Void
  ) throws -> Pass {
    let document = Document(text: trace.startContent)
    var options = LogOptions()
    options.program = "editing-trace"
    options.replacesExisting = true
    let session = try Session(recordingTo: output, options: options)
    session.attach(document, as: "document")
    var duration = Duration.zero
    var done = 0
    for stop in stops + [patches.count] {
      duration += try edit(document, done..<stop)
      done = stop
      visit(done, document.text)
    }
    duration += try ContinuousClock().measure { try session.close() }
    return Pass(name: "a session that records", duration: duration, text: document.text)
  }

  private func edit(_ document: Document, _ range: Range<Int>? = nil) throws -> Duration {
    try ContinuousClock().measure {
      for index in range ?? patches.indices { try document.text.apply(patches[index]) }
    }
  }
}
