import ArgumentParser
import Foundation

struct Manual: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a manual page for each command.",
    discussion: "Example: replay manual --into man",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The folder to write them to, made if need be.", valueName: "folder"))
  var into: String

  func run(on console: Console) throws -> ToolStatus {
    let pages = ManualPage.all
    do {
      try FileManager.default.createDirectory(atPath: into, withIntermediateDirectories: true)
      for page in pages {
        try page.text.write(toFile: "\(into)/\(page.name).1", atomically: true, encoding: .utf8)
      }
    } catch { throw ToolError("cannot write to \(into): \(error.localizedDescription)") }
    try console.print("\(into.shown): \(Units.count(pages.count, "page"))")
    return .done
  }
}
