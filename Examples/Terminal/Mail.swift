import Observation
import Projection

/// A letter, as the app has it.
@Recorded package final class Letter: Equatable {
  package let id: Int
  package let sender: String
  package let subject: String
  package var isRead = false
  package var isFlagged = false

  init(id: Int, sender: String, subject: String) {
    (self.id, self.sender, self.subject) = (id, sender, subject)
  }

  var text: [String] { (1...4).map { "Line \($0) of letter \(id), from \(sender)." } }

  /// A letter is that object, whatever is done to it.
  package static func == (a: Letter, b: Letter) -> Bool { a === b }
}

/// What is in the app's folder, and what a person does with it.
@Recorded package final class Inbox {
  package var letters: [Letter] = []
  package var query = ""
  package var selected = 0
  package var opened: Letter?
  package var isLoading = false
}

/// What a person has chosen. Such an object may be another package's: a session follows it.
@Observable package final class Settings {
  package enum Order: String, Codable, Sendable { case newest, sender }

  package var order = Order.newest
  package var showsSenders = true
}

/// A mistake that people make, to see what is said of it: the header reads what changes at each tick; each run of the list gives its
/// rows other ids; rows are drawn as they were while they are handed the same letter; the list's body runs for each frame.
package enum Fault: Sendable { case hotHeader, freshRows, staleRows, eachFrame }

/// Answers some ticks after it is asked, with what has come in since. It is not recorded.
private struct MailServer {
  private var random: UInt64
  private var stored: [(id: Int, sender: String, subject: String, isRead: Bool)] = []
  private var made = 0
  private var wait = 0

  init(seed: UInt64) {
    random = seed
    for _ in 0..<16 { add() }
  }

  mutating func ask() { wait = 3 + number(below: 4) }

  mutating func delete(_ id: Int) { stored.removeAll { $0.id == id } }

  /// Whether the answer is there.
  mutating func advance() -> Bool {
    wait = max(-1, wait - 1)
    guard wait == 0 else { return false }
    for _ in 0..<number(below: 3) { add() }
    // One was read elsewhere, and the oldest go.
    if !stored.isEmpty { stored[number(below: stored.count)].isRead = true }
    stored.removeFirst(max(0, stored.count - 20))
    return true
  }

  /// All letters: those that are known stay the same objects.
  func letters(knowing known: [Letter]) -> [Letter] {
    stored.map { stored in
      let old = known.first { $0.id == stored.id }
      let letter = old ?? Letter(id: stored.id, sender: stored.sender, subject: stored.subject)
      if stored.isRead, !letter.isRead { letter.isRead = true }
      return letter
    }
  }

  private mutating func add() {
    made += 1
    let sender = ["Ada", "Ben", "Cem", "Dora", "Eve"][number(below: 5)]
    let subject = ["Lunch", "Report", "Invoice", "Photos", "Minutes"][number(below: 5)]
    stored.append((made, sender, "\(subject) \(made)", false))
  }

  private mutating func number(below limit: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((random >> 33) % UInt64(limit))
  }
}

/// The app: its objects, its server and its screen, and what keys do.
package final class MailApp {
  package private(set) var host: Host!
  let inbox = Inbox()
  let settings = Settings()
  let fault: Fault?
  private var server: MailServer

  /// - Parameter session: Nil to record nothing.
  package init(_ session: Session?, seed: UInt64 = 1, fault: Fault? = nil) {
    (server, self.fault) = (MailServer(seed: seed), fault)
    session?.attach(inbox, as: "inbox")
    session?.follow(settings, as: "settings", properties: \.order, \.showsSenders)
    host = Host(MailScreen(app: self), session) { [unowned self] in receive() }
    refresh()
  }

  /// The letters that are found, in their order.
  var shown: [Letter] {
    let query = inbox.query.lowercased()
    let found = inbox.letters.filter {
      query.isEmpty || "\($0.sender) \($0.subject)".lowercased().contains(query)
    }
    switch settings.order {
    case .newest: return found.sorted { $0.id > $1.id }
    case .sender: return found.sorted { ($0.sender, $0.id) < ($1.sender, $1.id) }
    }
  }

  /// The place of the letter that is chosen; that of the last one if there are fewer.
  func selected(of shown: [Letter]) -> Int? { shown.isEmpty ? nil : min(inbox.selected, shown.count - 1) }

  var selected: Letter? {
    let shown = shown
    return selected(of: shown).map { shown[$0] }
  }

  func refresh() {
    if inbox.isLoading { return }
    inbox.isLoading = true
    server.ask()
  }

  private func receive() {
    guard server.advance() else { return }
    inbox.letters = server.letters(knowing: inbox.letters)
    if let opened = inbox.opened, !inbox.letters.contains(opened) { inbox.opened = nil }
    inbox.isLoading = false
  }

  func select(by step: Int) {
    let shown = shown
    guard let place = selected(of: shown) else { return }
    let next = min(max(0, place + step), shown.count - 1)
    if next != inbox.selected { inbox.selected = next }
  }

  func open() {
    if let selected, selected != inbox.opened { inbox.opened = selected }
  }

  func delete() {
    guard let letter = selected else { return }
    server.delete(letter.id)
    inbox.letters.removeAll { $0 === letter }
    if inbox.opened === letter { inbox.opened = nil }
  }

  func sort() { settings.order = settings.order == .newest ? .sender : .newest }

  func readAll() { for letter in inbox.letters where !letter.isRead { letter.isRead = true } }
}
