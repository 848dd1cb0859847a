import Foundation
import Projection

/// The oracle: compares what the app shows and has computed with its models.
extension MailApp {
  /// What is wrong with the derived values and the texts on the screen; empty if they agree with the models.
  ///
  /// Computes everything anew from the models. The reads here are not tracked.
  func check() -> [String] {
    untracked {
      var problems: [String] = []
      func expect<Value: Equatable>(_ name: String, _ found: Value, _ wanted: Value) {
        if found != wanted { problems.append("\(name) is \(found), and should be \(wanted)") }
      }
      let folders = store.folders.map { Array($0.messages) }
      let counts = folders.map { $0.filter { !$0.isRead }.count }
      let flagged = folders.joined().filter(\.isFlagged).count
      for (folder, (read, count)) in zip(store.folders, zip(unread, counts)) {
        expect("unread \(folder.name)", read(), count)
      }
      expect("unread", unreadInAll(), counts.reduce(0, +))
      expect("flagged", flaggedInAll(), flagged)
      let listed = Array(store.openFolder.messages).filter(store.lists)
      let rows = Array(listed.dropFirst(store.topRow).prefix(rowsShown))
      expect("page", page().rows.map(\.id), rows.map(\.id))
      expect("count of the page", page().count, listed.count)
      expect("search", store.settledQuery, store.query)
      let texts = expectedTexts(counts: counts, flagged: flagged, listed: listed.count, rows: rows)
      for (place, text) in texts where screen.texts[place] != text {
        problems.append("\(place) shows \(screen.texts[place] ?? "nothing"), and should show \(text)")
      }
      for (place, text) in screen.texts where texts[place] == nil {
        problems.append("\(place) shows \(text), and should be gone")
      }
      return problems
    }
  }

  /// All that should be on the screen.
  private func expectedTexts(
    counts: [Int], flagged: Int, listed: Int, rows: [Message]
  ) -> [Screen.Place: String] {
    var texts: [Screen.Place: String] = [:]
    func expect(_ name: String, id: AnyHashable? = nil, _ text: String) {
      texts[Screen.Place(name: name, id: id)] = text
    }
    for (folder, count) in zip(store.folders, counts) {
      expect("Badge", id: folder.name, Drawn.badge(folder.name, unread: count))
    }
    expect("Sidebar", Drawn.sidebar(unread: counts.reduce(0, +), flagged: flagged))
    for message in rows { expect("Row", id: message.id, Drawn.row(message)) }
    expect("List", Drawn.list(store.openFolder.name, listed, from: store.topRow))
    expect("Search", "\(store.query) [\(store.filter.rawValue)]")
    expect("Preview", store.selection.map { Drawn.letter($0) } ?? "nothing is selected")
    expect("Composer", Drawn.composer(store.openDraft, of: store.drafts.count))
    expect("Recents", Drawn.recents(store.recents, store.contacts))
    expect("Status", Drawn.status(store.account, windows: store.windows.count))
    for window in store.windows { expect("Window", id: ObjectIdentifier(window), Drawn.window(window)) }
    return texts
  }

  /// The state without ids, so that it can be compared with that of another run or another world.
  var summary: [String] {
    untracked {
      store.folders.map { folder in
        "\(folder.name)\n" + folder.messages.map { Drawn.row($0) }.joined(separator: "\n")
      }
        + store.drafts.map { Drawn.composer($0, of: 0) } + store.windows.map { Drawn.window($0) }
        + [
          store.selection.map { Drawn.letter($0) } ?? "",
          Drawn.composer(store.openDraft, of: store.drafts.count),
          Drawn.recents(store.recents, store.contacts),
          Drawn.status(store.account, windows: store.windows.count),
          "\(store.query) \(store.filter) \(store.topRow) \(store.account.signature)",
        ]
        + store.contacts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.opened) \($0.value.written)" }
    }
  }
}
