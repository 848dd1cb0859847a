import EventLog
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

/// Files that commands write: what they may replace, who may read them, and what remains of an unfinished
/// file.
@Suite struct OutputTests {
  /// Every command that writes a file, as OUT; LOG is a log, LINES are its lines, BUDGET a file of limits.
  private static let writers: [[String]] = [
    ["import", "LINES", "-o", "OUT"], ["export", "LOG", "-o", "OUT"],
    ["export", "LOG", "--format", "csv", "-o", "OUT"],
    ["export", "LOG", "--format", "perfetto", "-o", "OUT"],
    ["export", "LOG", "--format", "sqlite", "-o", "OUT"],
    ["compact", "LOG", "-o", "OUT"], ["cut", "LOG", "-o", "OUT"], ["merge", "LOG", "-o", "OUT"],
    ["recover", "LOG", "-o", "OUT"], ["check", "LOG", "--budget", "BUDGET", "--junit", "OUT"],
  ]

  /// A folder with all files that the commands read.
  private struct Place {
    let workspace: Workspace
    let log: String
    let files: [String]

    init() throws {
      workspace = try Workspace()
      log = try workspace.log(screen)
      try "total:\n  evaluations: 100\n".write(
        toFile: workspace.file("budget"), atomically: false, encoding: .utf8)
      files = workspace.files
    }

    func run(_ arguments: [String], to output: String, _ more: String...) -> ToolRun {
      let names = [
        "LOG": log, "LINES": log + ".jsonl", "BUDGET": workspace.file("budget"), "OUT": output,
      ]
      return ToolRun(arguments.map { names[$0] ?? $0 } + more)
    }

    func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }
  }

  @Test(arguments: writers) func aFileThatIsThereIsReplacedOnlyWhereThatIsAskedFor(writer: [String]) throws {
    let place = try Place()
    let output = place.workspace.file("out")
    try "precious".write(toFile: output, atomically: false, encoding: .utf8)
    let refused = place.run(writer, to: output)
    #expect(refused.status == .refused && refused.output.isEmpty)
    #expect(
      refused.errors
        == "replay: \(output): the file exists; give --replace to replace it, or choose another name\n")
    #expect(place.bytes(output) == Data("precious".utf8))
    #expect(place.workspace.files == (place.files + ["out"]).sorted())
    let done = place.run(writer, to: output, "--replace")
    #expect(done.status == .done, "\(done.errors)")
    #expect(place.bytes(output) != Data("precious".utf8))
    #expect(place.workspace.files == (place.files + ["out"]).sorted())
  }

  @Test(arguments: writers) func aLogThatIsBeingWrittenIsNeverReplaced(writer: [String]) throws {
    let place = try Place()
    let output = place.workspace.file("live.evlog")
    var options = EventLog.LogOptions()
    options.segmentBytes = 4096
    options.blockEvents = 100
    let live = try LogWriter(creating: output, options: options)
    let fill: (Int) throws -> Void = { first in
      for number in first..<first + 3000 {
        try live.append(.mark(label: "\(number &* 0x9E37_79B9)"), time: UInt64(number))
      }
      try live.ensure(.synced)
    }
    try live.append(.mark(label: "first"), time: 0)
    try live.ensure(.synced)
    var outputs = [output]
    for isRotated in [false, true] {
      if isRotated {
        try fill(0)
        outputs = place.workspace.files.filter { $0.hasPrefix("live") }.map(place.workspace.file)
        try #require(outputs.count > 2)
        // A name that the writer will need.
        outputs.append(place.workspace.file("live.\(String(format: "%04d", outputs.count + 5)).evlog"))
      }
      let before = outputs.map(place.bytes)
      for output in outputs {
        for more in [[], ["--replace"]] {
          let run = place.run(writer + more, to: output)
          #expect(run.status == .refused)
          #expect(
            run.errors
              == "replay: \(output): this log is being written, and is never replaced; choose another name\n")
        }
      }
      #expect(outputs.map(place.bytes) == before)
    }
    try fill(3000)
    try live.close()
    #expect(try LogReader(path: output).isClean && LogReader(path: output).eventCount == 6001)
  }

  @Test(arguments: writers) func aFileIsNeverReplacedByWhatIsMadeOfIt(writer: [String]) throws {
    let place = try Place()
    for input in writer.filter({ ["LOG", "LINES", "BUDGET"].contains($0) }) {
      let path =
        switch input {
        case "LOG": place.log
        case "LINES": place.log + ".jsonl"
        default: place.workspace.file("budget")
        }
      let before = place.bytes(path)
      let (link, twin) = (place.workspace.file("link"), place.workspace.file("twin"))
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      try FileManager.default.linkItem(atPath: path, toPath: twin)
      let around = "\(place.workspace.path)/../\(URL(filePath: place.workspace.path).lastPathComponent)/"
      for output in [path, link, twin, around + URL(filePath: path).lastPathComponent] {
        for more in [[], ["--replace"]] {
          let run = place.run(writer + more, to: output)
          #expect(run.status == .refused)
          #expect(
            run.errors.contains("the new file is made of this one, and never replaces it"), "\(run.errors)")
        }
      }
      #expect(place.bytes(path) == before && place.bytes(twin) == before)
      try FileManager.default.removeItem(atPath: link)
      try FileManager.default.removeItem(atPath: twin)
    }
    #expect(place.workspace.files == place.files)
  }

  @Test func aLogOfSeveralFilesIsNotReplacedByOneOfOneFile() throws {
    let place = try Place()
    let set = place.workspace.file("set.evlog")
    var options = EventLog.LogOptions()
    options.segmentBytes = 4096
    options.blockEvents = 100
    let writer = try LogWriter(creating: set, options: options)
    for number in 0..<2000 {
      try writer.append(.mark(label: "\(number &* 0x9E37_79B9)"), time: UInt64(number))
    }
    try writer.close()
    let count = place.workspace.files.count
    for output in [set, place.workspace.file("set.0002.evlog")] {
      // The new log is made from the log's further files, too.
      let run = ToolRun("export", set, "-o", output, "--replace")
      #expect(run.errors.contains("made of this one"), "\(run.errors)")
    }
    let run = ToolRun("compact", place.log, "-o", set, "--replace")
    #expect(
      run.status == .refused && run.errors.contains("set.0002.evlog is a further file"), "\(run.errors)")
    // The name of its first file is not used either, if that file is missing.
    try FileManager.default.removeItem(atPath: set)
    #expect(ToolRun("compact", place.log, "-o", set).errors.contains("set.0002.evlog is a further file"))
    #expect(place.workspace.files.count == count - 1)
    #expect(try LogReader(path: set).isClean)
  }

  @Test func whatComesWhileAFileIsWrittenIsNotReplaced() throws {
    let workspace = try Workspace()
    let path = workspace.file("out")
    for isOldThere in [false, true] {
      if isOldThere { try Data("old".utf8).write(to: URL(filePath: path)) }
      do {
        let place = try OutputPlace(path, replacing: isOldThere)
        try Data("new".utf8).write(to: URL(filePath: place.temporary))
        try? FileManager.default.removeItem(atPath: path)
        try Data("precious".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: LogError.self) { try place.commit() }
        #expect(error?.code == .exists)
      }
      #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
      #expect(workspace.files == ["out"])
      try FileManager.default.removeItem(atPath: path)
    }
    let place = try OutputPlace(path)
    try Data("new".utf8).write(to: URL(filePath: place.temporary))
    try place.commit()
    #expect(FileManager.default.contents(atPath: path) == Data("new".utf8))
    #expect(workspace.files == ["out"])
  }

  @Test(arguments: writers) func nobodyMayReadAFileWhoMayNotReadTheLog(writer: [String]) throws {
    let place = try Place()
    func mode(_ path: String) throws -> Int {
      try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
    for (number, allowed) in [0o600, 0o640, 0o666].enumerated() {
      for file in place.files {
        try FileManager.default.setAttributes(
          [.posixPermissions: allowed], ofItemAtPath: place.workspace.file(file))
      }
      let output = place.workspace.file("out-\(number)")
      #expect(place.run(writer, to: output).status == .done)
      #expect(try mode(output) & ~allowed == 0)
    }
    let (old, shown) = (place.workspace.file("old"), place.workspace.file("shown"))
    try Data().write(to: URL(filePath: old))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: old)
    #expect(place.run(writer, to: old, "--replace").status == .done)
    #expect(try mode(old) == 0o600)
    // Only their owner can read logs; other files get the usual permissions.
    guard writer[0] == "export" || writer[0] == "check" else { return }
    close(open(shown, O_CREAT | O_WRONLY, 0o666))
    #expect(try mode(place.workspace.file("out-2")) == mode(shown))
  }

  @Test func aBudgetThatIsUpdatedStaysReadableToWhoReadIt() throws {
    let place = try Place()
    let budget = place.workspace.file("budget")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: budget)
    #expect(ToolRun("check", place.log, "--budget", budget, "--update").output.contains("1 limit changed"))
    #expect(try FileManager.default.attributesOfItem(atPath: budget)[.posixPermissions] as? Int == 0o644)
  }

  @Test func pagesAreReplacedOnlyWhereThatIsAskedFor() throws {
    let workspace = try Workspace()
    #expect(ToolRun("manual", "--into", workspace.path).status == .done)
    let pages = workspace.files
    try FileManager.default.removeItem(atPath: workspace.file(pages[0]))
    let refused = ToolRun("manual", "--into", workspace.path)
    #expect(refused.status == .refused && refused.errors.contains("give --replace to replace it"))
    #expect(workspace.files == Array(pages.dropFirst()))
    #expect(ToolRun("manual", "--into", workspace.path, "--replace").status == .done)
    #expect(workspace.files == pages)
  }

  @Test func everyCommandSaysTheSameOfReplacing() throws {
    for name in ["import", "export", "compact", "cut", "merge", "recover", "check"] {
      let help = ToolRun([name, "--help"]).output
      #expect(help.contains("--replace  "), "\(name)")
      #expect(help.contains("Replace the file if there is one"), "\(name)")
    }
  }

  @Test(arguments: [
    ["info", "PIPE"], ["tail", "PIPE"], ["verify", "PIPE"], ["diff", "LOG", "PIPE"], ["recover", "PIPE"],
    ["compact", "PIPE", "-o", "OUT"], ["cut", "PIPE", "-o", "OUT"], ["merge", "LOG", "PIPE", "-o", "OUT"],
    ["export", "PIPE"], ["compact", "PIPE", "--in-place"],
  ])
  func aPipeIsNoLog(arguments: [String]) throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let pipe = workspace.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let end = open(pipe, O_RDWR | O_NONBLOCK)
    defer { close(end) }
    let names = ["PIPE": pipe, "LOG": log, "OUT": workspace.file("out")]
    let run = ToolRun(arguments.map { names[$0] ?? $0 })
    #expect(run.status == .refused)
    #expect(run.errors == "replay: \(pipe): a log cannot be read from a pipe; give a file\n")
    #expect(workspace.files == ["pipe", "run.evlog", "run.evlog.jsonl"])
  }

  @Test(arguments: [
    ["compact"], ["cut"], ["merge"], ["recover"], ["import"], ["export", "--format", "sqlite"],
  ])
  func aDeviceIsNeverReplaced(command: [String]) throws {
    let workspace = try Workspace()
    let log = try workspace.log(screen)
    let pipe = workspace.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let input = command[0] == "import" ? log + ".jsonl" : log
    let run = ToolRun(command + [input, "-o", pipe, "--replace"])
    #expect(run.status == .refused && run.errors.hasSuffix(" needs a file\n"), "\(run.errors)")
    #expect(Platform.isStream(pipe))
    // Nor by a caller of the library.
    #expect(throws: LogError.self) { try LogCompaction.run(log, to: pipe, replacing: true) }
    #expect(Platform.isStream(pipe))
  }
}

/// What remains of a file if the process that writes it is terminated.
@Suite(.enabled(if: builtTool != nil, "replay is beside the tests")) struct EndedProcessTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
  func aProcessThatIsEndedLeavesNothingInTheWay(number: Int32) throws {
    let workspace = try Workspace()
    let output = workspace.file("out.evlog")
    let process = Process()
    process.executableURL = builtTool
    process.arguments = ["import", "-", "-o", output]
    let pipe = Pipe()
    process.standardInput = pipe
    process.standardError = FileHandle.nullDevice
    // The test process may ignore the signal, and the child would inherit that.
    let before = number == SIGKILL ? nil : signal(number, SIG_DFL)
    try process.run()
    if let before { signal(number, before) }
    pipe.fileHandleForWriting.write(Data("{\"kind\":\"mark\",\"label\":\"x\"}\n".utf8))
    for _ in 0..<6000 where workspace.files.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
    try #require(workspace.files.count == 1)
    kill(process.processIdentifier, number)
    for _ in 0..<6000 where process.isRunning { Thread.sleep(forTimeInterval: 0.01) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    // A shell reports 128 more: 130, 143, 129.
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    if number != SIGKILL { #expect(workspace.files.isEmpty) }
    _ = try workspace.log("{\"kind\":\"mark\",\"label\":\"x\"}\n", "out.evlog")
  }
}
