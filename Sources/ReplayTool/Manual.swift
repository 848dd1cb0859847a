import ArgumentParser
import Foundation
import ReplayAnalysis

struct Manual: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a manual page for each command.",
    discussion: "Example: replay manual --into man",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The folder to write them to, made if need be.", valueName: "folder"))
  var into: String

  @OptionGroup var replacing: ReplaceOptions

  func run(on console: Console) throws -> ToolStatus {
    let pages = try ManualPage.all()
    do {
      try FileManager.default.createDirectory(atPath: into, withIntermediateDirectories: true)
    } catch { throw ToolError("cannot write to \(into): \(error.localizedDescription)") }
    // All are looked at before the first is written.
    let files = try pages.map {
      try OutputFile("\(into)/\($0.name).1", replacing: replacing.replace, madeOf: [])
    }
    for (page, file) in zip(pages, files) { try FileText.write(page.text, to: file) }
    try console.print("\(into.shown): \(Units.count(pages.count, "page"))")
    return .done
  }
}
