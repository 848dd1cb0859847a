import ArgumentParser
import Foundation
import ReplayAnalysis

struct SkillCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "skill",
    abstract: "Writes a skill for agents: how to record, look, mend, prove and keep with this tool.",
    discussion: """
      Example: replay skill --into .claude/skills
      Example: replay skill --into ~/.codex/skills

      It writes replay/SKILL.md and replay/references, or updates those that it wrote. A file there that it did not write, \
      or that was changed since, is left as it is, and nothing is written.
      """)

  @Option(
    help: ArgumentHelp("The folder of skills, made if need be.", valueName: "folder"), completion: .directory)
  var into: String

  func run(on console: Console) throws -> ToolStatus {
    let folder = into.hasSuffix("/") ? "\(into)replay" : "\(into)/replay"
    // All are checked before the first is written.
    for file in SkillFile.all { try file.refuseForeign(in: folder) }
    do {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/references", withIntermediateDirectories: true)
    } catch { throw ToolError("cannot write to \(folder): \(error.localizedDescription)") }
    for file in SkillFile.all {
      try OutputFile("\(folder)/\(file.name)", replacing: true, madeOf: []).write(file.written)
    }
    try console.print("\(folder.shown): \(Units.count(SkillFile.all.count, "file"))")
    return .done
  }
}

/// A file of the skill. Its last line has a hash of the rest, by which one that was changed is known.
struct SkillFile {
  /// Its path in the folder of the skill.
  let name: String
  let text: String

  static let all = [
    SkillFile("SKILL.md", PackageResources.SKILL_md),
    SkillFile("references/recording.md", PackageResources.recording_md),
    SkillFile("references/questions.md", PackageResources.questions_md),
    SkillFile("references/proving.md", PackageResources.proving_md),
  ]

  private init(_ name: String, _ bytes: [UInt8]) {
    (self.name, text) = (name, String(decoding: bytes, as: UTF8.self))
  }

  var written: String { text + Self.signature(of: text) }

  /// Throws if there is such a file that this did not write.
  func refuseForeign(in folder: String) throws {
    let path = "\(folder)/\(name)"
    guard Platform.exists(path) || Platform.isLink(path) else { return }
    if Platform.kind(of: path) == .file, let known = try? String(contentsOfFile: path, encoding: .utf8),
      let start = known.range(of: Self.mark, options: .backwards)?.lowerBound
    {
      let body = String(known[..<start])
      if known == body + Self.signature(of: body) { return }
    }
    throw ToolError(
      "\(path) was not written by replay skill, or was changed since; move it away, or give another --into")
  }

  private static let mark = "\n<!-- Written by replay skill "

  /// FNV-1a.
  private static func signature(of text: String) -> String {
    let hash = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return
      "\(mark)\(String(hash, radix: 16)). Written again, it is updated; if it is changed, it is left. -->\n"
  }
}
