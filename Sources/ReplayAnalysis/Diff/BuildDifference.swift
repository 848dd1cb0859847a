import EventLog

/// A header field whose value differs between two builds.
package struct BuildDifference: Codable, Sendable {
  var key: String
  var a: String?
  var b: String?

  package static func between(_ a: LogHeader, _ b: LogHeader) -> [BuildDifference] {
    var differences: [BuildDifference] = []
    if !a.program.isSameProgram(as: b.program) {
      differences.append(.init(key: "program", a: a.program, b: b.program))
    }
    for key in Set(a.metadata.keys).union(b.metadata.keys).sorted() where isAboutBuilds(key) {
      if a.metadata[key] != b.metadata[key] {
        differences.append(.init(key: key, a: a.metadata[key], b: b.metadata[key]))
      }
    }
    return differences
  }

  private static func isAboutBuilds(_ key: String) -> Bool { word(in: key) != nil }

  private static func word(in key: String) -> String? {
    let key = key.lowercased()
    return ["build", "version", "commit", "revision", "branch", "configuration", "compiler", "swift"].first {
      key.contains($0)
    }
  }

  /// The keyword that the key contains, else `program`. Unlike the key, it is never a word of the app's own.
  var word: String { Self.word(in: key) ?? "program" }
}

extension [BuildDifference] {
  /// A sentence that warns of comparing different builds; nil if the headers agree. For different programs it
  /// names only the programs, since their builds differ anyway.
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

  /// The program's name without its folders, since builds of one program may lie in different folders.
  fileprivate var file: Substring? { self?.split(separator: "/").last }
}

extension String {
  /// Whether two program paths differ only in the folder. They then count as the same program, unless the
  /// folders belong to different build configurations.
  fileprivate func isSameProgram(as other: String) -> Bool {
    let (a, b) = (split(separator: "/"), other.split(separator: "/"))
    guard a.last == b.last else { return false }
    guard let first = a.configuration, let second = b.configuration else { return true }
    return first == second
  }
}

extension [Substring] {
  /// The folder that names the build configuration, as SwiftPM and Xcode create it: `debug`,
  /// `Release-iphoneos`.
  fileprivate var configuration: String? {
    dropLast().last { folder in
      let word = folder.prefix { $0 != "-" }.lowercased()
      return word == "debug" || word == "release"
    }.map { $0.lowercased() }
  }
}
