import EventLog
import ReplayAnalysis

/// A call of a tool as a command: its words, checked.
struct AgentQuery {
  let tool: AgentTool
  /// The words of the command, with absolute paths.
  let words: [String]
  /// The files that it reads.
  let files: [String]
  let handle: MoreHandle

  /// All texts of a call together; a handle repeats them.
  private static let argumentBytesMost = 1200

  /// - Throws: `ToolError` with what to give instead.
  init(_ tool: AgentTool, _ given: [String: JSON], in root: AgentRoot, handle: MoreHandle? = nil) throws {
    try Self.check(given, of: tool)
    var options: [String] = []
    var (files, positionals, program): ([String], [String], [String]) = ([], [], [])
    for argument in tool.arguments {
      guard let value = given[argument.name], value != .null else { continue }
      var texts = try argument.texts(value)
      switch argument.kind {
      case .input:
        texts = try texts.map { try root.file($0) }
        files += texts
      case .output: texts = try texts.map { try root.file($0) }
      default: break
      }
      switch argument.place {
      case .option(let name):
        if case .flag = argument.kind {
          if texts == ["true"] { options.append("--\(name)") }
        } else {
          options += texts.map { "--\(name)=\($0)" }
        }
      case .positional: positionals += texts
      case .program: program = try Self.program(texts, in: root)
      case .changes: options += try Self.changes(texts)
      }
    }
    // Paths are absolute, so none begins with a dash; other texts may.
    var words = tool.command + options
    switch tool.name {
    case "recordings": words.append(root.path)
    case "finding": words.append("--source=\(root.path)")
    case "drive": words.append("--directory=\(root.path)")
    default: break
    }
    words += positionals.prefix(1)
    let rest = positionals.dropFirst() + program
    if !rest.isEmpty { words += ["--"] + rest }
    self.tool = tool
    self.words = words
    self.files = files
    self.handle = handle ?? MoreHandle(tool: tool.name, arguments: given)
  }

  /// Refuses what the tool does not know or lacks.
  static func check(_ given: [String: JSON], of tool: AgentTool) throws {
    let names = tool.arguments.map(\.name)
    let list = tool.arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }.joined(separator: ", ")
    for name in given.keys.sorted() where !names.contains(name) {
      let nearest = Suggestion.text(for: name, among: names)
      throw ToolError("\(tool.name) has no argument \(name.shown(most: 60))\(nearest); it takes \(list)")
    }
    for argument in tool.arguments where argument.isRequired && (given[argument.name] ?? .null) == .null {
      throw ToolError("\(tool.name) needs \(argument.name) (\(argument.about)); it takes \(list)")
    }
    let bytes = given.values.reduce(0) { $0 + $1.line.count }
    if bytes > argumentBytesMost, tool.name != "more" {
      throw ToolError("the arguments have \(bytes) bytes, and at most \(argumentBytesMost) may be given")
    }
  }

  /// What to run. By a path only what is within the root; else a name that is looked for as a shell does.
  private static func program(_ words: [String], in root: AgentRoot) throws -> [String] {
    guard let name = words.first, !name.isEmpty else {
      throw ToolError("program is empty; give the program and its arguments, as [\"swift\", \"test\"]")
    }
    if name.hasPrefix("-") || name.utf8.contains(UInt8(ascii: "=")) {
      throw ToolError("program begins with \(name.shown(most: 60)), which is no program")
    }
    guard name.utf8.contains(UInt8(ascii: "/")) else { return words }
    return [try root.file(name)] + words.dropFirst()
  }

  /// The options of changes: `--isolate`, `ChatView:chat.level`, also in one word.
  private static func changes(_ words: [String]) throws -> [String] {
    let kinds = Change.Kind.allCases.map(\.rawValue)
    let form = "changes are as [\"--isolate\", \"ChatView:chat.level\"], of \(Change.Kind.options)"
    var options: [String] = []
    var rest = words.flatMap { word -> [String] in
      // As a finding prints them, in one text.
      guard word.hasPrefix("--"), let end = word.firstIndex(where: { $0 == " " || $0 == "=" }) else {
        return [word]
      }
      return [String(word[..<end]), String(word[word.index(after: end)...])]
    }[...]
    while let word = rest.popFirst() {
      let kind = word.hasPrefix("--") ? String(word.dropFirst(2)) : word
      guard kinds.contains(kind), let value = rest.popFirst() else {
        throw ToolError("\(word.shown(most: 60)): \(form)")
      }
      // A finding quotes them for a shell.
      let isQuoted = value.count > 1 && value.hasPrefix("'") && value.hasSuffix("'")
      options.append("--\(kind)=\(isQuoted ? String(value.dropFirst().dropLast()) : value)")
    }
    if options.isEmpty { throw ToolError(form) }
    return options
  }
}

extension AgentArgument {
  /// The value as texts. A handle has numbers and flags as texts, and some clients send them so.
  func texts(_ value: JSON) throws -> [String] {
    switch (kind, value) {
    case (.text, .string(let text)), (.input, .string(let text)), (.output, .string(let text)): return [text]
    case (.text, .integer(let number)): return [String(number)]
    case (.count, .integer(let number)): return [String(number)]
    case (.count, .string(let text)):
      if Int(text) != nil { return [text] }
    case (.flag, .bool(let flag)): return [String(flag)]
    case (.flag, .string("true")), (.flag, .string("false")): return [value.string ?? ""]
    case (.choice(let texts), .string(let text)):
      if texts.contains(text) { return [text] }
      throw ToolError("\(name) is one of \(texts.joined(separator: ", "))")
    case (.texts, .string(let text)): return [text]
    case (.texts, .array(let elements)):
      let texts = elements.compactMap(\.string)
      if texts.count == elements.count { return texts }
    default: break
    }
    throw ToolError("\(name) is \(form)")
  }

  private var form: String {
    switch kind {
    case .text: "a text"
    case .input, .output: "the path of a file within the root"
    case .count: "a whole number"
    case .flag: "true or false"
    case .choice(let texts): "one of \(texts.joined(separator: ", "))"
    case .texts: "a list of texts"
    }
  }
}
