import Foundation

/// The mail app without a screen: its reactions to the person and the clock.
///
/// Its views are in `MailApp+Views.swift`, the oracle in `MailApp+Check.swift`.
final class MailApp<World: MailWorld> {
  typealias Store = World.Store
  typealias Folder = Store.Folder
  typealias Messages = Folder.Messages
  typealias Message = Messages.Element
  typealias Draft = Store.Drafts.Element
  typealias Window = Store.Windows.Element

  let world: World
  let store: Store
  /// How many rows of the list show.
  let rowsShown: Int
  /// What is drawn now.
  let screen = Screen()
  /// The number of unread messages of each folder, by the folder's index.
  private(set) var unread: [() -> Int] = []
  private(set) var unreadInAll: () -> Int = { 0 }
  private(set) var flaggedInAll: () -> Int = { 0 }
  private(set) var page: () -> Page<Message> = { Page(rows: [], count: 0) }

  private var ids: MailIDs
  private var undos: [Undo] = []
  private var endsOfWindows: [() -> Void] = []
  private var windowsMade = 0

  /// How to undo an action. It alone retains a message that was deleted.
  private enum Undo {
    case moved(Message, from: Int, offset: Int, to: Int)
    case deleted([(message: Message, offset: Int)], from: Int)
  }

  /// The names of the folders.
  static var folderNames: [String] { ["Inbox", "Archive", "Sent", "Junk"] }
  static var inbox: Int { 0 }
  static var sent: Int { 2 }

  init(in world: World, messages: Int, rowsShown: Int, random: inout SplitMix, ids: MailIDs) {
    self.world = world
    self.rowsShown = rowsShown
    var ids = ids
    // The share of the messages in each folder, in percent.
    let folders = zip(Self.folderNames, [40, 45, 10, 5]).map { name, percent in
      Folder(
        name: name,
        messages: (0..<messages * percent / 100).map { number in
          Message(.madeUp(minute: -number, &random, &ids))
        })
    }
    self.ids = ids
    store = Store(folders: folders)
    for address in Address.known { store.contacts[address.address] = Contact(name: address.name) }
    world.attach(store)
    derive()
    drawAll()
    observe()
  }

  private func derive() {
    unread = store.folders.map { folder in
      world.derived("unread \(folder.name)") { folder.messages.count { !$0.isRead } }
    }
    unreadInAll = world.derived("unread") { [unread] in unread.reduce(0) { $0 + $1() } }
    flaggedInAll = world.derived("flagged") { [store] in
      store.folders.reduce(0) { $0 + $1.messages.count { $0.isFlagged } }
    }
    page = world.derived("page") { [store, rowsShown] in
      var page = Page<Message>(rows: [], count: 0)
      for message in store.openFolder.messages where store.lists(message) {
        if page.count >= store.topRow, page.rows.count < rowsShown { page.rows.append(message) }
        page.count += 1
      }
      return page
    }
  }

  /// Sets up what the app does by itself when something has changed.
  private func observe() {
    // The search begins once the person stops typing.
    world.onChange(of: \.query, in: store, pace: .debounced(.milliseconds(300))) { [store] query in
      store.settledQuery = query
      store.topRow = 0
    }
    world.onChange(of: \.openDraft?.body, in: store, pace: .debounced(.seconds(2))) { [store] body in
      if let body { store.openDraft?.savedBody = body }
    }
    world.onChange(of: \.account.syncs, in: store, pace: .throttled(.seconds(1))) { [store] syncs in
      store.account.status = "asked \(syncs) times, last at minute \(store.account.minute)"
    }
    world.onChange(of: \.openFolder.name, in: store, pace: .immediate) { [store] _ in
      store.topRow = 0
      store.selection = nil
    }
    world.onChange(of: \.account.minute, in: store, pace: .everySet) { [store] minute in
      if minute.isMultiple(of: 60) { store.recents = Array(store.recents.prefix(5)) }
    }
  }
}

/// The rows of the list that show, and how many there are in all.
struct Page<Message: MailMessage>: Equatable {
  var rows: [Message]
  var count: Int

  static func == (a: Page, b: Page) -> Bool {
    a.count == b.count && a.rows.elementsEqual(b.rows, by: ===)
  }
}

extension MailStore {
  /// Whether a message of the open folder is listed.
  func lists(_ message: some MailMessage) -> Bool {
    let passes =
      switch filter {
      case .all: true
      case .unread: !message.isRead
      case .flagged: message.isFlagged
      }
    return passes && (settledQuery.isEmpty || message.subject.contains(settledQuery))
  }
}

// Actions on messages.
extension MailApp {
  /// Selects the row's message, which is then one object at two paths.
  func read(_ message: Message) {
    store.selection = message
    if !message.isRead { message.isRead = true }
    let address = message.sender.address
    let recent = Recent(id: message.id, subject: message.subject, address: address)
    store.recents = [recent] + store.recents.filter { $0.id != message.id }.prefix(19)
    store.contacts[address]?.opened += 1
  }

  func flag(_ message: Message) { message.isFlagged.toggle() }

  func label(_ message: Message, _ label: MailLabel) {
    if let index = message.labels.firstIndex(of: label) {
      message.labels.remove(at: index)
    } else {
      message.labels.append(label)
    }
  }

  func move(_ message: Message, to target: Int) {
    guard let (source, offset) = place(of: message), source != target else { return }
    world.transaction("move") {
      store.folders[source].messages.remove(at: offset)
      store.folders[target].messages.insert(message, at: 0)
    }
    note(.moved(message, from: source, offset: offset, to: target))
  }

  func delete(_ messages: [Message]) {
    guard let first = messages.first, let (source, _) = place(of: first) else { return }
    let folder = store.folders[source]
    let all = messages.compactMap { message in
      folder.messages.firstIndex(id: message.id).map { (message: message, offset: $0) }
    }.sorted { $0.offset < $1.offset }
    world.transaction("delete") {
      if all.count == 1 {
        folder.messages.remove(at: all[0].offset)
      } else {
        let gone = Set(all.map(\.message.id))
        folder.messages.removeAll { gone.contains($0.id) }
      }
      if all.contains(where: { $0.message === store.selection }) { store.selection = nil }
    }
    note(.deleted(all, from: source))
  }

  /// Undoes the last move or deletion that can still be undone.
  func undo() {
    switch undos.popLast() {
    case nil: break
    case .moved(let message, let source, let offset, let target):
      guard let now = store.folders[target].messages.firstIndex(id: message.id) else { return undo() }
      world.transaction("undo") {
        store.folders[target].messages.remove(at: now)
        put(message, into: source, at: offset)
      }
    case .deleted(let messages, let source):
      world.transaction("undo") {
        for (message, offset) in messages { put(message, into: source, at: offset) }
      }
    }
  }

  private func put(_ message: Message, into folder: Int, at offset: Int) {
    let folder = store.folders[folder]
    folder.messages.insert(message, at: min(offset, folder.messages.count))
  }

  private func note(_ undo: Undo) {
    if undos.count == 50 { undos.removeFirst() }
    undos.append(undo)
  }

  private func place(of message: Message) -> (folder: Int, offset: Int)? {
    for (number, folder) in store.folders.enumerated() {
      if let offset = folder.messages.firstIndex(id: message.id) { return (number, offset) }
    }
    return nil
  }

  func sort(_ order: MailOrder) {
    switch order {
    case .newestFirst: store.openFolder.messages.sort { $0.minute > $1.minute }
    case .subject: store.openFolder.messages.sort { $0.subject < $1.subject }
    case .sender: store.openFolder.messages.sort { $0.sender.address < $1.sender.address }
    }
  }

  func shuffle(_ random: inout SplitMix) { store.openFolder.messages.shuffle(using: &random) }
}

// Search, drafts, windows and the server.
extension MailApp {
  func typeQuery(_ query: String) {
    for key in query {
      store.query.append(key)
      world.frame()
    }
  }

  func compose(to address: String) {
    let draft = Draft(id: ids.next(), to: address)
    store.drafts.append(draft)
    store.openDraft = draft
  }

  /// Changes the open draft by one key.
  func type(_ change: (inout String) -> Void) {
    guard let draft = store.openDraft else { return }
    change(&draft.body)
    world.frame()
  }

  /// Moves the open draft to the sent messages.
  ///
  /// - Returns: The message, which is still on its way.
  func send() -> Message? {
    guard let draft = store.openDraft else { return nil }
    // The snapshot has no address of the account, which the log must not hold.
    var snapshot = MessageSnapshot(
      id: ids.next(), sender: Address(name: "Me", address: ""), minute: store.account.minute,
      subject: draft.subject, body: draft.body + store.account.signature)
    snapshot.isRead = true
    snapshot.labels = [.sending]
    let message = Message(snapshot)
    world.transaction("send") {
      store.folders[Self.sent].messages.insert(message, at: 0)
      store.contacts[draft.to]?.written += 1
      store.drafts.removeAll { $0 === draft }
      store.openDraft = nil
    }
    return message
  }

  func deliver(_ message: Message) { message.labels.removeAll { $0 == .sending } }

  /// Shows a window for a message first, and adds it to the store afterwards.
  func open(_ message: Message) {
    let window = Window(id: ids.next(), message: message)
    windowsMade += 1
    endsOfWindows.append(show(window, as: "Window#\(windowsMade)"))
    store.windows.append(window)
  }

  func closeWindow(at offset: Int) {
    store.windows.remove(at: offset)
    endsOfWindows.remove(at: offset)()
  }

  func expandWindow(at offset: Int) { store.windows[offset].isExpanded.toggle() }

  /// The inbox as it is sent to the server.
  var inboxSnapshot: [MessageSnapshot] { store.folders[Self.inbox].messages.map(\.snapshot) }

  func adopt(_ snapshots: [MessageSnapshot]) {
    let inbox = store.folders[Self.inbox]
    inbox.messages.adopt(snapshots)
    world.transaction("synced") {
      store.account.syncs += 1
      if let id = store.selection?.id, place(ofID: id) == nil { store.selection = nil }
    }
  }

  private func place(ofID id: UUID) -> Int? {
    store.folders.firstIndex { $0.messages.firstIndex(id: id) != nil }
  }
}
