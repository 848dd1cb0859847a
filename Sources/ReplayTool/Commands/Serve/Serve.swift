import ArgumentParser
import EventLog
import ReplayAnalysis

struct Serve: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows a run in the browser, also while it is recorded: the page of report, following the log.",
    discussion: """
      Example: replay serve SampleLogs/chat-wide.evlog --no-open

      It prints the address of the page, and opens it in the browser when it runs in a terminal. The page is that of \
      replay report with all values, and asks the tool for the rest: any event, why it happened, the state after it, and \
      what-if. A log that is being written is followed, also under another name that it gets; so is one that takes its \
      name later. A file .evlog that is not there yet is waited for.

      Only this machine can open the page, and only with the token in its address, which changes each time. To keep an \
      address for another time, give the same --port, and a token of your own as REPLAY_SERVE_TOKEN.

      Ctrl-C ends it, with exit status 0.
      """)

  @Argument(help: "The log to show.", completion: .file(extensions: ["evlog"]))
  var log: String

  @Option(
    help: ArgumentHelp("Listen at this port (default: any that is free).", valueName: "port"),
    transform: Port.read)
  var port = Port(number: 0)

  @Flag(help: "Only print the address.")
  var noOpen = false

  @OptionGroup var sources: SourceOptions
  @OptionGroup var memory: MemoryOptions

  func run(on console: Console) throws -> ToolStatus {
    let token = try AccessToken.given() ?? AccessToken()
    let path = try path(of: log)
    // A log that cannot be read is refused before a port is opened.
    let source = try LogFollowing.open(path, memory.limits)
    Interrupts.catchAll(hangingUp: true)
    let server = try PageServer.start(
      path: path, limits: memory.limits, sources: sources.folder(), port: port.number, token: token)
    defer { server.stop() }
    try console.print(server.address)
    try console.flush()
    if LogFollowing.isMissing(path) {
      let nearest = Suggestion.text(forFile: path, among: Platform.neighbours(of: path))
      console.report("replay: \(path): there is no such file yet\(nearest)")
      console.report("replay: waiting for it; Ctrl-C ends it")
    } else {
      console.report("replay: serving \(path); Ctrl-C ends it")
    }
    if !noOpen, Platform.isTerminal(1) { server.openBrowser(console) }
    LogFollowing(path: path, limits: memory.limits, feed: server.feed, console: console).run(from: source) {
      !Interrupts.isPending && server.failure == nil
    }
    if !Interrupts.isPending, let failure = server.failure {
      throw ToolError("pages are served no more: \(failure)")
    }
    return .done
  }

  /// The path of the log: as given, or that of a session in a folder.
  private func path(of log: String) throws -> String {
    let path = try SessionArgument.path(log, limits: memory.limits)
    if let stream = ToolError.stream(path) { throw stream }
    return path
  }
}
