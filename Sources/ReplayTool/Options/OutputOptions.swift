import ArgumentParser
import ReplayAnalysis

/// The form in which a command prints its result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

struct OutputOptions: ParsableArguments {
  @Option(help: "text for people, json for programs.")
  var format: OutputFormat = .text

  /// Prints a result as JSON; or as text, which the body prints.
  func print(_ result: some Encodable, on console: Console, text: () throws -> Void) throws {
    switch format {
    case .json: try console.print(json: result)
    case .text: try text()
    }
  }
}

/// The option that allows a command to replace an existing file.
struct ReplaceOptions: ParsableArguments {
  @Flag(help: "Replace the file if there is one; never one that is read, or a log that is being written.")
  var replace = false
}

/// The option that limits the lines of a ranking.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Print at most this many lines of text; 0 for all.", valueName: "count"))
  var limit = 20

  func validate() throws {
    if limit < 0 { throw ValidationError("--limit must be 0 or more") }
  }

  /// The items up to the limit, and the number of items left out.
  func cut<T>(_ items: [T]) -> (shown: ArraySlice<T>, hidden: Int) {
    if limit == 0 || items.count <= limit { return (items[...], 0) }
    return (items[..<limit], items.count - limit)
  }
}

extension Console {
  /// Prints how many lines the limit left out.
  func printHidden(_ count: Int, _ noun: String) throws {
    if count > 0 { try print(style.dim("and \(Units.count(count, "more " + noun)); see --limit")) }
  }
}

extension Table {
  /// Prints the table with a row for each item up to the limit, and how many items that leaves out.
  ///
  /// - Parameters:
  ///   - noun: What an item is.
  ///   - more: The number of items that were left out before.
  func print<Item>(
    _ items: [Item], _ noun: String, _ limit: LimitOptions, besides more: Int = 0, to console: Console,
    row: (Item) -> [String]
  ) throws {
    var table = self
    let (shown, hidden) = limit.cut(items)
    for item in shown { table.add(row(item)) }
    try table.print(to: console)
    try console.printHidden(hidden + more, noun)
  }
}
