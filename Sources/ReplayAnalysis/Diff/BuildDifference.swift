import EventLog
import Foundation

/// What a header says that tells two builds apart.
package struct BuildDifference: Codable, Sendable {
  var key: String
  var a: String?
  var b: String?

  package static func between(_ a: LogHeader, _ b: LogHeader) -> [BuildDifference] {
    var differences: [BuildDifference] = []
    if a.program.installed != b.program.installed {
      differences.append(.init(key: "program", a: a.program, b: b.program))
    }
    for key in Set(a.metadata.keys).union(b.metadata.keys).sorted() where isAboutBuilds(key) {
      if a.metadata[key] != b.metadata[key] {
        differences.append(.init(key: key, a: a.metadata[key], b: b.metadata[key]))
      }
    }
    return differences
  }

  private static func isAboutBuilds(_ key: String) -> Bool {
    let key = key.lowercased()
    return ["build", "version", "commit", "revision", "branch", "configuration", "compiler", "swift"].contains
    {
      key.contains($0)
    }
  }
}

extension [BuildDifference] {
  /// What whoever compares should know: another build of the program, by what tells them apart. That different programs
  /// were built differently goes without saying.
  package var warning: String? {
    func text(_ difference: BuildDifference) -> String {
      "\(difference.a.named) and \(difference.b.named)"
    }
    if isEmpty { return nil }
    if let program = first(where: { $0.key == "program" }), program.a.file != program.b.file {
      return "the runs are of different programs: \(text(program))"
    }
    return "the runs came from different builds: " + map { "\($0.key) \(text($0))" }.joined(separator: ", ")
  }
}

extension String? {
  fileprivate var named: String { if let self, !self.isEmpty { self } else { "none" } }

  /// A program's name without its folders: builds of one program may lie in different ones.
  fileprivate var file: Substring? { self?.split(separator: "/").last }
}

extension String {
  /// The folders of a program without those that are named anew each time it is installed.
  fileprivate var installed: [Substring] {
    split(separator: "/").filter { UUID(uuidString: String($0)) == nil }
  }
}
