#if TOOL
  @testable import EventLog
  @testable import ReplayTool

  /// Runs commands of the tool on the input, in this process: each must end with a status.
  enum ToolTarget: FuzzTarget {
    static let name = "tool"

    static func run(_ input: [UInt8]) {
      let log = Scratch.begin(with: input)
      let (projection, path) = subjects(of: log)
      let commands: [[String]] = [
        ["info", log], ["verify", log, "--blocks"], ["timeline", log], ["timeline", log, "--path", path],
        ["timeline", log, "--from", "3"], ["cascades", log],
        ["cascades", log, "--by", "time", "--format", "json"], ["hot", log],
        ["hot", log, "--format", "json"], ["lint", log], ["lint", log, "--format", "sarif"],
        ["state", log], ["state", log, path, "--at", "3"], ["why", log, projection],
        ["why", log, projection, "--stack"], ["diff", log, log, "--events"], ["diff", other, log],
        ["diff", log, other, "--format", "json"], ["what-if", log, "--tracking", "property"],
        ["what-if", log, "--tracking", "object"],
        ["what-if", log, "--no-same-value", path, "--throttle", "\(path)=10ms"],
        ["what-if", log, "--isolate", "\(projection):\(path)", "--input", projection], ["export", log],
        ["export", log, "--format", "csv"], ["export", log, "--format", "perfetto"],
      ]
      // Some of the commands, because all would take a tenth of a second. The input decides which, so that a finding
      // can be reproduced.
      let choice = Int(truncatingIfNeeded: XXH64.hash(input) >> 32)
      for (number, command) in commands.enumerated() where (number + choice) % 5 == 0 { run(command) }
      if choice % 16 == 0 { run(["export", log, "--format", "sqlite", "-o", Scratch.path("run.db")]) }
    }

    /// A good log to compare with.
    private static let other = "../SampleLogs/scopes.evlog"

    private static func run(_ arguments: [String]) {
      let console = Console(width: 80, style: Style(), output: { _ in }, errors: { _ in })
      _ = Tool.run(arguments, on: console)
    }

    /// A projection and a path that the log names, as arguments for commands.
    private static func subjects(of path: String) -> (projection: String, path: String) {
      var subjects = (projection: "P#1", path: "store.rows")
      try? LogReader(path: path).forEachEvent { event in
        switch event.body {
        case .evaluate(let name, _, _, _, _): subjects.projection = name
        case .set(let path, _, _): subjects.path = path.description
        default: break
        }
      }
      return subjects
    }

    static func mutate(_ input: [UInt8], limit: Int, seed: UInt32) -> [UInt8] {
      ReaderTarget.mutate(input, limit: limit, seed: seed)
    }
  }
#endif
