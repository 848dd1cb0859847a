import EventLog

/// What a header says that tells two builds apart.
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

  /// What differs in a word that is not the app's own.
  var word: String { Self.word(in: key) ?? "program" }
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
  /// Whether two programs differ by no more than the folder from which they were started: that says nothing of what they
  /// are, unless the folders are those of different configurations.
  fileprivate func isSameProgram(as other: String) -> Bool {
    let (a, b) = (split(separator: "/"), other.split(separator: "/"))
    guard a.last == b.last else { return false }
    guard let first = a.configuration, let second = b.configuration else { return true }
    return first == second
  }
}

extension [Substring] {
  /// The folder of the configuration in which a program was built, as SwiftPM and Xcode name it: `debug`,
  /// `Release-iphoneos`.
  fileprivate var configuration: String? {
    dropLast().last { folder in
      let word = folder.prefix { $0 != "-" }.lowercased()
      return word == "debug" || word == "release"
    }.map { $0.lowercased() }
  }
}
