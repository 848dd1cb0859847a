import ArgumentParser

struct Diff: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares two runs: where they part, what each did more, and the state at the end.",
    discussion: """
      Example: replay diff before.evlog after.evlog

      What happened is compared, not when, how long it took, or where in the source. The exit status is 1 when the \
      runs differ.
      """)

  @Argument(help: "The first log.", completion: .file(extensions: ["evlog"]))
  var a: String

  @Argument(help: "The second log.", completion: .file(extensions: ["evlog"]))
  var b: String

  @OptionGroup var output: OutputOptions
  @OptionGroup var limit: LimitOptions

  func run(on console: Console) throws -> ToolStatus {
    let first = try LogSource(path: a)
    let second = try LogSource(path: b)
    let diff = try RunDiff(first, second, progress: console.progress)
    switch output.format {
    case .json: try console.print(diff.json)
    case .text: try diff.print(to: console, limit: limit)
    }
    let damage = first.reportDamage(on: console).and(second.reportDamage(on: console))
    return damage.and(diff.isIdentical ? .done : .found)
  }
}
