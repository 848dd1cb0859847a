import ArgumentParser

/// A command of the tool.
protocol ToolCommand: ParsableCommand {
  func run(on console: Console) throws -> ToolStatus
}

extension ToolCommand {
  mutating func run() throws {}
}
