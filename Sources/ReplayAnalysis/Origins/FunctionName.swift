import EventLog

/// A readable form of a function's name, made from the linker's symbol.
struct FunctionName {
  /// `ChatModel.tick(by:)`: without module, types and result.
  var short: String
  /// The module of a Swift function.
  var module: String?
  /// Whether it is a getter, a setter or a thunk, which the compiler made or which only passes a value on.
  var isPlumbing: Bool

  /// Whether it is code of the app that a reader of the stack may want to see.
  var isCaller: Bool { !isPlumbing && module.map { !Self.foreignModules.contains($0) } ?? false }

  private static let foreignModules: Set = [
    "Swift", "Projection", "Invalidation", "EventLog", "Observation", "Synchronization", "_Concurrency",
    "Foundation", "FoundationEssentials", "Dispatch", "Combine", "OpenCombine", "SwiftUI", "SwiftUICore",
    "ReplayTesting", "ReplayUI", "Testing", "XCTest",
  ]

  init(_ symbol: String) {
    module = Self.module(of: symbol)
    let full = symbol.hasPrefix("$s") ? CLibrary.demangled(symbol) ?? symbol : symbol
    isPlumbing =
      [".setter", ".getter", ".modify", ".read", ".init", "didset", "willset"].contains {
        full.contains($0 + " : ")
      }
      || ["thunk", "partial apply", "outlined", "value witness", "key path"].contains {
        full.contains($0 + " ")
      }
    short = Self.shortened(full, module)
  }

  /// The module of a mangled name: `ChatDemo` for `$s8ChatDemo...`; `$sS...` is the standard library.
  private static func module(of symbol: String) -> String? {
    guard symbol.hasPrefix("$s") else { return nil }
    let rest = symbol.dropFirst(2)
    guard let length = Int(rest.prefix { $0.isNumber }), length > 0 else { return "Swift" }
    return String(rest.drop { $0.isNumber }.prefix(length))
  }

  private static func shortened(_ full: String, _ module: String?) -> String {
    if full.hasPrefix("closure #"), let inside = full.firstRange(of: " in ") {
      return "closure in " + shortened(String(full[inside.upperBound...]), module)
    }
    var name = full
    if name.hasPrefix("(extension in "), let end = name.firstRange(of: "):") {
      name = String(name[end.upperBound...])
    }
    // `(name in _0F3A)` is private to a file.
    while let match = name.firstMatch(of: /\((\w+) in _[0-9A-F]+\)/) {
      name.replaceSubrange(match.range, with: match.1)
    }
    let isStatic = name.hasPrefix("static ")
    if isStatic { name.removeFirst("static ".count) }
    if let module, name.hasPrefix(module + ".") { name.removeFirst(module.count + 1) }
    let path = name.prefix { !"(<: ".contains($0) }
    return (isStatic ? "static " : "") + path + labels(name.dropFirst(path.count))
  }

  /// `(by:_:)` of `(by: Swift.Int, Swift.String) -> ()`; nothing where there are no parentheses.
  private static func labels(_ rest: Substring) -> String {
    guard let open = rest.firstIndex(of: "("), !rest[..<open].contains(":") else { return "" }
    var (labels, depth, parameter) = ("", 0, "")
    for character in rest[open...] {
      let ends = depth == 1 && (character == "," || character == ")")
      if ends, !parameter.isEmpty {
        let label = parameter.split(separator: ":", maxSplits: 1)
        labels += (label.count == 2 ? String(label[0]) : "_") + ":"
        parameter = ""
      }
      if "([<".contains(character) { depth += 1 }
      if ")]>".contains(character) { depth -= 1 }
      if depth == 0 { break }
      if !ends, depth > 1 || !"( ".contains(character) { parameter.append(character) }
    }
    return "(\(labels))"
  }
}
