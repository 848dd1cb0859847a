import CEditLine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Reads lines from the terminal with libedit: its keys and the user's `.editrc`, a history, and completion
/// by Tab.
///
/// The terminal is in raw mode only while a line is edited, so a command runs with the user's settings.
/// libedit's own signal handling is off, since it would send signals on to the whole process group.
final class LineEditor {
  private let editor: OpaquePointer
  private let history: OpaquePointer
  private let completions: (String) -> Completions
  /// The prompt; set only while a line is read.
  private var prompt: UnsafeMutablePointer<CChar>?
  /// The terminal's width in columns when the line was last drawn.
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
  /// - Parameter completions: Returns what may follow a line that begins with this text.
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
    // Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q are ordinary keys while a line is edited.
    editline_set_mode(editor, "-isig")
    editline_set_mode(editor, "-ixon")
    bindKeys()
  }

  /// Restores the terminal's settings.
  func close() {
    el_end(editor)
    history_end(history)
  }

  /// Reads a line. Ctrl-C discards the line and begins another.
  ///
  /// - Returns: Nil at the end of the input, as by Ctrl-D on an empty line, or when a signal asks the process
  ///   to end.
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

  /// The `LineEditor` that a libedit editor belongs to.
  private static func owner(of editor: OpaquePointer?) -> LineEditor {
    Unmanaged.fromOpaque(editline_owner(editor)).takeUnretainedValue()
  }

  /// Gives this thread a UTF-8 locale. The tool writes UTF-8 in every locale, but libedit writes in the
  /// locale's encoding.
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
    // A distribution may have built libedit with vi keys as the default.
    editline_bind_emacs_keys(editor)
    editline_bind(editor, "^R", "em-inc-search-prev")
    editline_bind(editor, "^U", "vi-kill-line-prev")
    editline_bind(editor, "^W", "ed-delete-prev-word")
    // If libedit knows only the start of a key's sequence, it inserts the rest as text, so all sequences are
    // bound.
    for number in 1...24 {
      editline_bind(editor, #"\e[\#(number)~"#, Self.numberedKeys[number] ?? "ed-ignore")
    }
    for (letter, command) in Self.arrows {
      for modifiers in 2...8 { editline_bind(editor, #"\e[1;\#(modifiers)\#(letter)"#, command) }
    }
    el_source(editor, nil)
    // Bound after the user's settings, which therefore cannot remove them.
    editline_add(editor, "replay-complete") { editor, _ in LineEditor.owner(of: editor).complete() }
    editline_add(editor, "replay-give-up") { editor, _ in LineEditor.owner(of: editor).giveUp() }
    editline_bind(editor, "^I", "replay-complete")
    editline_bind(editor, "^C", "replay-give-up")
  }

  /// The bindings of Home, Delete and End, by the numbers that terminals send. Other numbers are Insert, page
  /// up, F5 and so on.
  private static let numberedKeys = [
    1: "ed-move-to-beg", 3: "ed-delete-next-char", 4: "ed-move-to-end", 7: "ed-move-to-beg",
    8: "ed-move-to-end",
  ]

  /// The bindings of arrows, Home and End with Shift, Alt or Ctrl.
  private static let arrows: KeyValuePairs = [
    "A": "ed-prev-history", "B": "ed-next-history", "C": "em-next-word", "D": "ed-prev-word",
    "H": "ed-move-to-beg", "F": "ed-move-to-end",
  ]

  /// Reads a character for libedit, and returns how many characters it read.
  ///
  /// libedit's own reader does not return when a signal asks the process to end.
  private func read(into character: UnsafeMutablePointer<wchar_t>?) -> Int32 {
    guard let scalar = nextScalar() else { return 0 }
    followWidth()
    character?.pointee = wchar_t(scalar.value)
    return 1
  }

  /// The next character; bytes that are not UTF-8 are skipped.
  private func nextScalar() -> Unicode.Scalar? {
    var bytes: [UInt8] = []
    while let byte = nextByte() {
      if !UTF8.isContinuation(byte) { bytes = [] }
      bytes.append(byte)
      if let text = String(validating: bytes, as: UTF8.self) { return text.unicodeScalars.first }
    }
    return nil
  }

  /// Waits for a byte. Nil at the end of the input, or when a signal asks the process to end.
  private func nextByte() -> UInt8? {
    var ready = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    // A signal that arrives between this check and `poll` is noticed after half a second.
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

  /// Redraws the line if the terminal's width changed, since libedit drew it for the old width.
  private func followWidth() {
    let current = Platform.width(of: 1) ?? 80
    guard current != width else { return }
    width = current
    el_resize(editor)
    write("\r\u{1B}[J")
    editline_draw(editor)
  }

  /// Ends the line as Return does, so that the next prompt is below the line's last row.
  private func giveUp() -> UInt8 {
    isGivenUp = true
    write("^C")
    el_push(editor, "\n")
    return UInt8(CC_NORM)
  }
}

// MARK: - Completion

extension LineEditor {
  /// Inserts the part that all completions share, or lists them if there is none.
  private func complete() -> UInt8 {
    guard let line = el_line(editor)?.pointee, let start = line.buffer, let cursor = line.cursor else {
      return UInt8(CC_ERROR)
    }
    let head = String(decoding: UnsafeRawBufferPointer(start: start, count: cursor - start), as: UTF8.self)
    let found = completions(head)
    // Stops before the first character that must not reach a terminal: libedit writes most of what is
    // inserted unchanged.
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

  /// Prints words in columns below the line.
  private func list(_ words: [String]) {
    let shown = words.prefix(Self.listedMax).map { $0.shown.cut(to: max(8, width - 1)) }
    let column = (shown.map(\.columns).max() ?? 0) + 2
    let perRow = max(1, width / column)
    // Erases the rows below the cursor, which the line may occupy.
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
