import ArgumentParser
import EventLog
import Foundation
import Projection
import SampleApps

@main
struct RecordSample: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record-sample",
    abstract: "Runs a sample app and records it.",
    discussion: """
      The samples, each bad shape before its fix:

      \(sampleApps.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n"))
      """)

  @Argument(help: "The sample to record.", completion: .list(sampleNames))
  var name: String?

  @Option(help: ArgumentHelp("Where the log goes (default: NAME.evlog).", valueName: "path"))
  var output: String?

  @Flag(help: "Record every sample.")
  var all = false

  @Option(help: ArgumentHelp("With --all: the directory for the logs.", valueName: "directory"))
  var into: String?

  @Flag(help: "Do not wait between the ticks of an app's clocks.")
  var fast = false

  func validate() throws {
    if all {
      guard name == nil, output == nil else {
        throw ValidationError("--all records every sample; give no name and no --output")
      }
      guard into != nil else { throw ValidationError("--all needs --into, the directory for the logs") }
      return
    }
    guard into == nil else { throw ValidationError("--into goes with --all; for one sample use --output") }
    guard let name else { throw ValidationError("give the name of a sample, or --all --into DIRECTORY") }
    guard sampleApps.contains(where: { $0.name == name }) else {
      let names = sampleNames.joined(separator: ", ")
      throw ValidationError("there is no sample '\(name)'; there are \(names)")
    }
  }

  func run() throws {
    // `replay drive` runs this program to drive a recording.
    if let app = sampleApps.first(where: { $0.name == name }), let drive = try Session.driven() {
      return try app.drive(drive)
    }
    for app in sampleApps where all || app.name == name {
      let file = "\(app.name).evlog"
      try record(app, to: into.map { URL(filePath: $0).appending(path: file).path } ?? output ?? file)
    }
  }

  /// Replaces an existing log once the new one is complete.
  private func record(_ app: any SampleApp.Type, to path: String) throws {
    var options = LogOptions()
    options.program = "record-sample \(app.name)"
    options.metadata = ["sample": app.name]
    options.replacesExisting = true
    // The file is kept and shared, so blocks are large, which compress best.
    options.level = 19
    options.flushInterval = .seconds(2)
    options.blockBytes = 1 << 20
    let unfinished = path + ".part"
    let session = try app.session(recordingTo: URL(filePath: unfinished), options: options)
    app.run(in: session, pace: fast ? .none : .realTime)
    try session.close()
    guard rename(unfinished, path) == 0 else {
      throw LogError(.io, path: path, errno: errno, message: "cannot rename the finished log to this name")
    }
    print("\(path): \(try LogReader(path: path).eventCount) events")
  }
}
