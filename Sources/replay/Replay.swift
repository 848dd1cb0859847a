import ArgumentParser

@main
struct Replay: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows which write woke what: reads a recorded log and reconstructs its invalidations.")
}
