import CEditLine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Reads lines at the terminal by libedit: with its keys and the user's `.editrc`, a history, and completion by Tab.
///
/// The terminal gives its keys one by one only while a line is typed, so that a command finds it as it was. libedit's
/// own handling of signals is off, since it sends them on to the whole process group.
final class LineEditor {
  private let editor: OpaquePointer
  private let history: OpaquePointer
  private let completions: (String) -> Completions
  /// The text before the line; set only while a line is read.
  private var prompt: UnsafeMutablePointer<CChar>?
  /// The columns of the terminal when the line was last laid out.
  private var width = 80
  /// Whether Ctrl-C ended the line.
  private var isGivenUp = false
  private static let linesMax: Int32 = 1000
  private static let listedMax = 60

  /// Whether input and output are a terminal that can move its cursor.
  static var isPossible: Bool {
    Platform.isTerminal(0) && Platform.isTerminal(1) && Platform.environment("TERM") != "dumb"
  }

  /// Takes over the terminal until ``close()``.
  ///
  /// - Parameter completions: What a line that begins with this text may go on with.
  init(completing completions: @escaping (String) -> Completions) throws {
    Self.useUTF8()
    guard let editor = editline_open("replay"), let history = history_init() else {
      throw ToolError("the terminal cannot be set: \(Platform.message(errno))")
    }
    self.editor = editor
    self.history = history
    self.completions = completions
    editline_set_owner(editor, Unmanaged.passUnretained(self).toOpaque())
    editline_set_prompt(editor) { LineEditor.owner(of: $0).prompt }
    editline_set_reader(editor) { LineEditor.owner(of: $0).read(into: $1) }
    editline_set_history(editor, history, Self.linesMax)
    // Ctrl-C, -Z, -S and -Q are keys like the others.
    editline_set_mode(editor, "-isig")
    editline_set_mode(editor, "-ixon")
    bindKeys()
  }

  /// Leaves the terminal as it was.
  func close() {
    el_end(editor)
    history_end(history)
  }

  /// Reads a line. Ctrl-C gives up the line and begins another.
  ///
  /// - Returns: Nil at the end of the input, as by Ctrl-D on an empty line, and when the process is asked to end.
  func readLine(prompt: String) -> String? {
    repeat {
      width = Platform.width(of: 1) ?? 80
      isGivenUp = false
      guard var line = edit(prompt) else {
        write("\n")
        return nil
      }
      if line.last == "\n" { line.removeLast() }
      if !isGivenUp {
        if !line.allSatisfy({ $0 == " " }) { editline_remember(history, line) }
        return line
      }
    } while true
  }

  private func edit(_ prompt: String) -> String? {
    prompt.withCString { prompt in
      self.prompt = UnsafeMutablePointer(mutating: prompt)
      var count: Int32 = 0
      return el_gets(editor, &count).map { String(cString: $0) }
    }
  }

  private func write(_ text: String) { _ = Platform.write(Array(text.utf8), to: 1) }

  /// The object that libedit's editor belongs to.
  private static func owner(of editor: OpaquePointer?) -> LineEditor {
    Unmanaged.fromOpaque(editline_owner(editor)).takeUnretainedValue()
  }

  /// Gives this thread a locale of UTF-8: the tool writes UTF-8 in every locale, and libedit writes what the locale has.
  private static func useUTF8() {
    for name in ["C.UTF-8", "en_US.UTF-8"] {
      guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { continue }
      uselocale(locale)
      return
    }
  }
}

// MARK: - Keys

extension LineEditor {
  private func bindKeys() {
    // A distribution may have built libedit for vi.
    editline_bind_emacs_keys(editor)
    editline_bind(editor, "^R", "em-inc-search-prev")
    editline_bind(editor, "^U", "vi-kill-line-prev")
    editline_bind(editor, "^W", "ed-delete-prev-word")
    // libedit inserts as text what follows the part of a key's sequence that it knows, so all are bound.
    for number in 1...24 {
      editline_bind(editor, #"\e[\#(number)~"#, Self.numberedKeys[number] ?? "ed-ignore")
    }
    for (letter, command) in Self.arrows {
      for modifiers in 2...8 { editline_bind(editor, #"\e[1;\#(modifiers)\#(letter)"#, command) }
    }
    el_source(editor, nil)
    // The user's settings do not take these away.
    editline_add(editor, "replay-complete") { editor, _ in LineEditor.owner(of: editor).complete() }
    editline_add(editor, "replay-give-up") { editor, _ in LineEditor.owner(of: editor).giveUp() }
    editline_bind(editor, "^I", "replay-complete")
    editline_bind(editor, "^C", "replay-give-up")
  }

  /// The keys above the arrows, by the numbers that terminals send; the others are page up, F5 and so on.
  private static let numberedKeys = [
    1: "ed-move-to-beg", 3: "ed-delete-next-char", 4: "ed-move-to-end", 7: "ed-move-to-beg",
    8: "ed-move-to-end",
  ]

  /// What arrows, Home and End do together with Shift, Alt or Ctrl.
  private static let arrows: KeyValuePairs = [
    "A": "ed-prev-history", "B": "ed-next-history", "C": "em-next-word", "D": "ed-prev-word",
    "H": "ed-move-to-beg", "F": "ed-move-to-end",
  ]

  /// Reads a character for libedit, and returns how many were read.
  ///
  /// libedit itself would not return when a signal asks the process to end.
  private func read(into character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    guard let scalar = nextScalar() else { return 0 }
    followWidth()
    character?.pointee = wchar_t(scalar.value)
    return 1
  }

  /// The next character; bytes that are not UTF-8 are passed over.
  private func nextScalar() -> Unicode.Scalar? {
    var bytes: [UInt8] = []
    while let byte = nextByte() {
      if !UTF8.isContinuation(byte) { bytes = [] }
      bytes.append(byte)
      if let text = String(validating: bytes, as: UTF8.self) { return text.unicodeScalars.first }
    }
    return nil
  }

  /// Waits for a byte; nil at the end of the input, and when the process is asked to end.
  private func nextByte() -> UInt8? {
    var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    // A signal that comes after it was asked for and before the wait is seen half a second later.
    while !Interrupts.isPending {
      let count = poll(&ready, 1, 500)
      if count == 0 || count < 0 && errno == EINTR { continue }
      var byte: UInt8 = 0
      #if canImport(Darwin)
        let length = Darwin.read(0, &byte, 1)
      #else
        let length = Glibc.read(0, &byte, 1)
      #endif
      if length == 1 { return byte }
      if length == 0 || errno != EINTR && errno != EAGAIN { return nil }
    }
    return nil
  }

  /// Lays out the line again if the terminal has another width: libedit has drawn it for the old one.
  private func followWidth() {
    let current = Platform.width(of: 1) ?? 80
    guard current != width else { return }
    width = current
    el_resize(editor)
    write("\r\u{1B}[J")
    editline_draw(editor)
  }

  /// Ends the line as Return does, so that the next begins below its last row.
  private func giveUp() -> UInt8 {
    isGivenUp = true
    write("^C")
    el_push(editor, "\n")
    return UInt8(CC_NORM)
  }
}

// MARK: - Completion

extension LineEditor {
  /// Goes on as far as there is only one way to; lists the ways where there are several.
  private func complete() -> UInt8 {
    guard let line = el_line(editor)?.pointee, let start = line.buffer, let cursor = line.cursor else {
      return UInt8(CC_ERROR)
    }
    let head = String(decoding: UnsafeRawBufferPointer(start: start, count: cursor - start), as: UTF8.self)
    let found = completions(head)
    // Stops before a character that a terminal must not get: libedit writes most of what is inserted as it is.
    let common = found.commonStart.prefix { String($0).shown == String($0) }
    if common.count > found.typed {
      el_deletestr(editor, Int32(head.suffix(found.typed).unicodeScalars.count))
      el_insertstr(editor, String(common))
      return UInt8(CC_REFRESH)
    }
    guard found.candidates.contains(where: { $0.count > found.typed }) else { return UInt8(CC_ERROR) }
    list(found.candidates)
    editline_draw(editor)
    return UInt8(CC_NORM)
  }

  /// Lists words below the line, in columns.
  private func list(_ words: [String]) {
    let shown = words.prefix(Self.listedMax).map { $0.shown.cut(to: max(8, width - 1)) }
    let column = (shown.map(\.columns).max() ?? 0) + 2
    let perRow = max(1, width / column)
    // Erases the rows of the line that are below the cursor.
    var output = "\n\u{1B}[J"
    for start in stride(from: 0, to: shown.count, by: perRow) {
      let row = shown[start..<min(start + perRow, shown.count)]
      for word in row.dropLast() { output += word + String(repeating: " ", count: column - word.columns) }
      output += (row.last ?? "") + "\n"
    }
    if words.count > shown.count { output += "and \((words.count - shown.count).grouped) more\n" }
    write(output)
  }
}
