import EventLog
import LogGenerator
import Testing

@testable import ReplayTool

/// What `diff` prints about the origins of two runs, before it compares them.
@Suite struct BuildDifferenceTests {
  private func warning(
    _ a: (program: String, metadata: [String: String]), _ b: (program: String, metadata: [String: String])
  ) throws -> String {
    let workspace = try Workspace()
    for (name, run) in [("a", a), ("b", b)] {
      var options = LogOptions()
      (options.program, options.metadata) = run
      let writer = try LogWriter(creating: workspace.file("\(name).evlog"), options: options)
      try writer.append(.mark(label: "tap"), time: 1)
      try writer.close()
    }
    let run = ToolRun("diff", workspace.file("a.evlog"), workspace.file("b.evlog"))
    #expect(run.status == .done)
    return run.errors
  }

  @Test func otherBuildsOfOneProgramAreToldByWhatTellsThemApart() throws {
    #expect(
      try warning(
        ("App", ["commit": "1a2b", "device": "x"]),
        ("App", ["commit": "3c4d", "version": "2", "device": "y"]))
        == "replay: the runs came from different builds: commit 1a2b and 3c4d, version none and 2\n")
    #expect(
      try warning((".build/debug/App", [:]), (".build/release/App", [:]))
        == "replay: the runs came from different builds: program .build/debug/App and .build/release/App\n")
  }

  @Test func aProgramStartedByAnotherPathIsTheSame() throws {
    for (a, b) in [("./App", "/home/a/.build/debug/App"), ("/a/App", "/b/c/App"), ("App", "release/App")] {
      #expect(try warning((a, [:]), (b, [:])).isEmpty)
    }
    #expect(
      try warning(("/b/Debug-iphoneos/App", [:]), ("/b/Release-iphoneos/App", [:]))
        .hasPrefix("replay: the runs came from different builds: program "))
  }

  @Test func differentProgramsAreToldInOneSentence() throws {
    #expect(
      try warning(("App", ["commit": "1a2b"]), ("Server", ["commit": "3c4d"]))
        == "replay: the runs are of different programs: App and Server\n")
  }

  @Test func nothingIsSaidOfOneBuild() throws {
    #expect(
      try warning(("App", ["commit": "1a2b", "user": "x"]), ("App", ["commit": "1a2b", "user": "y"])).isEmpty)
    // Each time that a program is installed on a phone, it gets a new folder.
    let places = ["6F1B8E0A-1111-4222-8333-444455556666", "0B7C1D2E-9999-4888-8777-666655554444"]
    let programs = places.map { "/private/var/containers/Bundle/Application/\($0)/App.app/App" }
    #expect(try warning((programs[0], [:]), (programs[1], [:])).isEmpty)
  }
}
