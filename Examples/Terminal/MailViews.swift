/// All of the screen.
struct MailScreen: View, Equatable {
  unowned let app: MailApp
  @State private var showsHelp = false

  var body: VStack {
    VStack {
      HStack {
        Header(isHot: app.fault == .hotHeader)
        UnreadCount().frame(width: 12)
      }
      SearchField()
      HStack {
        LetterList(fault: app.fault).frame(width: 34)
        Detail()
      }
      StatusLine(showsHelp: showsHelp)
    }
    .environment(app).environment(app.settings)
    .onKey { key in
      switch key {
      case .character("r"): app.refresh()
      case .character("o"): app.sort()
      case .character("s"): app.settings.showsSenders.toggle()
      case .character("a"): app.readAll()
      case .character("?"): showsHelp.toggle()
      default: return false
      }
      return true
    }
  }

  static func == (a: MailScreen, b: MailScreen) -> Bool { a.app === b.app }
}

struct Header: View, Equatable {
  let isHot: Bool
  @Environment(Screen.self) private var screen

  var body: VStack {
    let phase = isHot ? screen.phase : 0
    Text(phase < 0 ? "" : "Mail")
  }
}

struct UnreadCount: View, Equatable {
  @Environment(MailApp.self) private var app

  var body: VStack { Text("\(app.inbox.letters.count { !$0.isRead }) unread") }
}

struct SearchField: View, Equatable {
  @Environment(MailApp.self) private var app
  @Environment(Screen.self) private var screen

  var body: VStack {
    Text("Search: \(app.inbox.query)\(screen.focus == "search" ? "_" : "")")
      .focusable("search") { key in
        let inbox = app.inbox
        switch key {
        case .character(let character): inbox.query.append(character)
        case .backspace where !inbox.query.isEmpty: inbox.query.removeLast()
        case .escape where !inbox.query.isEmpty: inbox.query = ""
        default: return false
        }
        return true
      }
  }
}

struct LetterList: View, Equatable {
  let fault: Fault?
  @Environment(MailApp.self) private var app
  @Environment(Screen.self) private var screen

  var redraws: Redraws { fault == .eachFrame ? .eachFrame : .whenOutOfDate }

  var body: VStack {
    let letters = app.shown
    let selected = app.selected(of: letters)
    let first = fault == .freshRows ? 1_000 * app.host.runs : 0
    ForEach(letters, id: { first + $0.id }) { letter in
      LetterRow(
        letter: letter, isSelected: selected.map { letters[$0] } == letter, isStale: fault == .staleRows)
    }
    .scroll(height: max(1, screen.height - 3), showing: selected ?? 0)
    .focusable("list") { key in
      switch key {
      case .up: app.select(by: -1)
      case .down: app.select(by: 1)
      case .enter: app.open()
      case .character("d"): app.delete()
      case .character("f"): app.selected?.isFlagged.toggle()
      default: return false
      }
      return true
    }
  }
}

struct LetterRow: View, Equatable {
  let letter: Letter
  let isSelected: Bool
  let isStale: Bool
  @Environment(Settings.self) private var settings

  var redraws: Redraws { isStale ? .whenHandedAnother : .whenOutOfDate }

  var body: VStack {
    let marks = (isSelected ? ">" : " ") + (letter.isRead ? " " : "*") + (letter.isFlagged ? "!" : " ")
    Text("\(marks) \(letter.subject)\(settings.showsSenders ? ", \(letter.sender)" : "")")
  }
}

struct Detail: View, Equatable {
  @Environment(MailApp.self) private var app

  var body: VStack {
    if let letter = app.inbox.opened {
      LetterText(letter: letter).id(letter.id)
    } else {
      Text("No letter is open.")
    }
  }
}

struct LetterText: View, Equatable {
  let letter: Letter
  @State private var line = 0

  var body: VStack {
    VStack {
      Text("\(letter.subject)\(letter.isFlagged ? " !" : "")")
      Text("From \(letter.sender)")
      ForEach(Array(letter.text.dropFirst(line)), id: { $0 }) { Text($0) }
    }
    .onAppear { if !letter.isRead { letter.isRead = true } }
    .focusable("letter") { key in
      switch key {
      case .up where line > 0: line -= 1
      case .down where line < letter.text.count - 1: line += 1
      default: return false
      }
      return true
    }
  }
}

struct StatusLine: View, Equatable {
  let showsHelp: Bool
  @Environment(MailApp.self) private var app
  @Environment(Settings.self) private var settings

  var body: VStack {
    HStack {
      Text(
        showsHelp
          ? "tab enter r:fetch o:order s:senders a:all d:delete f:flag" : "By \(settings.order). ? helps.")
      if app.inbox.isLoading { Spinner() }
    }
  }
}
