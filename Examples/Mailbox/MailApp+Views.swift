import Foundation

/// The text that each view on the screen drew last.
final class Screen {
  /// A view on the screen.
  struct Place: Hashable {
    var name: String
    var id: AnyHashable?
  }

  var texts: [Place: String] = [:]
}

extension MailApp {
  func drawAll() {
    _ = world.view("Sidebar") { [unowned self] scope in
      for (number, folder) in store.folders.enumerated() {
        scope.row("Badge", id: folder.name, input: number) { [unowned self] badge in
          draw("Badge", id: folder.name, in: badge) { Drawn.badge(folder.name, unread: unread[number]()) }
        }
      }
      return draw("Sidebar", in: scope) { Drawn.sidebar(unread: unreadInAll(), flagged: flaggedInAll()) }
    }
    _ = world.view("List") { [unowned self] scope in
      let page = page()
      for message in page.rows {
        scope.row("Row", id: message.id, input: ObjectIdentifier(message)) { [unowned self] row in
          draw("Row", id: message.id, in: row) { Drawn.row(message) }
        }
      }
      return draw("List", in: scope) { Drawn.list(store.openFolder.name, page.count, from: store.topRow) }
    }
    _ = world.view("Search") { [unowned self] scope in
      draw("Search", in: scope) { "\(store.query) [\(store.filter.rawValue)]" }
    }
    _ = world.view("Preview") { [unowned self] scope in
      draw("Preview", in: scope) { store.selection.map { Drawn.letter($0) } ?? "nothing is selected" }
    }
    _ = world.view("Composer") { [unowned self] scope in
      draw("Composer", in: scope) { Drawn.composer(store.openDraft, of: store.drafts.count) }
    }
    _ = world.view("Recents") { [unowned self] scope in
      draw("Recents", in: scope) { Drawn.recents(store.recents, store.contacts) }
    }
    _ = world.view("Status") { [unowned self] scope in
      draw("Status", in: scope) { Drawn.status(store.account, windows: store.windows.count) }
    }
  }

  /// Draws a window, which need not be part of the store yet.
  ///
  /// - Returns: What ends the view.
  func show(_ window: Window, as name: String) -> () -> Void {
    world.view(name) { [unowned self] scope in
      draw("Window", id: ObjectIdentifier(window), in: scope) { Drawn.window(window) }
    }
  }

  /// Keeps the text that a view draws for as long as it is on the screen.
  private func draw(_ name: String, id: AnyHashable? = nil, in scope: World.Scope, _ text: () -> String)
    -> String
  {
    let place = Screen.Place(name: name, id: id)
    scope.onCleanup { [screen] in screen.texts[place] = nil }
    let text = text()
    screen.texts[place] = text
    return text
  }
}

/// The texts that views draw.
enum Drawn {
  static func badge(_ name: String, unread: Int) -> String { unread == 0 ? name : "\(name) (\(unread))" }

  static func sidebar(unread: Int, flagged: Int) -> String { "\(unread) unread, \(flagged) flagged" }

  static func row(_ message: some MailMessage) -> String {
    let marks = (message.isRead ? " " : "*") + (message.isFlagged ? "!" : " ")
    let labels = message.labels.map { " #\($0.rawValue)" }.joined()
    let files = message.attachments.isEmpty ? "" : " +\(message.attachments.count)"
    return "\(marks) \(message.sender.name): \(message.subject)\(labels)\(files)"
  }

  static func list(_ name: String, _ count: Int, from top: Int) -> String {
    "\(count) in \(name), from \(top)"
  }

  static func letter(_ message: some MailMessage) -> String {
    "\(message.subject)\nfrom \(message.sender.name)\n\n\(message.body)"
  }

  static func composer(_ draft: (some MailDraft)?, of count: Int) -> String {
    guard let draft else { return "\(count) drafts" }
    let mark = draft.body == draft.savedBody ? "saved" : "edited"
    return "to \(draft.to), \(mark), of \(count)\n\(draft.subject)\n\(draft.body)"
  }

  static func recents(_ recents: [Recent], _ contacts: [String: Contact]) -> String {
    recents.prefix(3).map { "\($0.subject) (\(contacts[$0.address]?.opened ?? 0))" }.joined(separator: ", ")
  }

  static func status(_ account: some MailAccount, windows: Int) -> String {
    "\(account.address), minute \(account.minute), \(account.status), \(windows) windows"
  }

  static func window(_ window: some MailWindow) -> String {
    window.isExpanded ? letter(window.message) : row(window.message)
  }
}
