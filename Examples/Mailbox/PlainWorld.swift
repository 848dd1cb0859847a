import Foundation
import Observation

/// The app on the standard library alone: `@Observable` models, arrays, computed values, and views that are drawn
/// again after a change.
final class PlainWorld: MailWorld {
  @Observable final class Message: MailMessage {
    let id: UUID
    let sender: Address
    let minute: Int
    var subject: String
    var isRead: Bool
    var isFlagged: Bool
    var labels: [MailLabel]
    var attachments: [Attachment]
    var body: String

    init(_ snapshot: MessageSnapshot) {
      id = snapshot.id
      sender = snapshot.sender
      minute = snapshot.minute
      subject = snapshot.subject
      isRead = snapshot.isRead
      isFlagged = snapshot.isFlagged
      labels = snapshot.labels
      attachments = snapshot.attachments
      body = snapshot.body
    }
  }

  @Observable final class Folder: MailFolder {
    let name: String
    var messages: [Message]

    init(name: String, messages: [Message]) {
      self.name = name
      self.messages = messages
    }
  }

  @Observable final class Draft: MailDraft {
    let id: UUID
    var to: String
    var subject = ""
    var body = ""
    var savedBody = ""

    init(id: UUID, to: String) {
      self.id = id
      self.to = to
    }
  }

  @Observable final class Window: MailWindow {
    let id: UUID
    let message: Message
    var isExpanded = false

    init(id: UUID, message: Message) {
      self.id = id
      self.message = message
    }
  }

  @Observable final class Account: MailAccount {
    var address = "me@example.com"
    var signature = ""
    var syncs = 0
    var minute = 0
    var status = ""
  }

  @Observable final class Store: MailStore {
    typealias Account = PlainWorld.Account
    typealias Folder = PlainWorld.Folder

    let account = Account()
    let folders: [Folder]
    var openFolder: Folder
    var selection: Message?
    var drafts: [Draft] = []
    var openDraft: Draft?
    var windows: [Window] = []
    var query = ""
    var settledQuery = ""
    var filter = MailFilter.all
    var topRow = 0
    var contacts: [String: Contact] = [:]
    var recents: [Recent] = []

    init(folders: [Folder]) {
      self.folders = folders
      openFolder = folders[0]
    }
  }

  private let views = PlainViews()
  private var shown: [Int: PlainView] = [:]
  private var callbacks: [() -> Bool] = []

  func attach(_ store: Store) {}

  func view(_ name: String, _ body: @escaping (PlainScope) -> String) -> () -> Void {
    let view = PlainView(in: views, body)
    shown[view.number] = view
    view.run()
    return { [weak self] in
      view.end()
      self?.shown[view.number] = nil
    }
  }

  /// Computed at each read, as a computed property is.
  func derived<Value: Equatable>(_ name: String, _ compute: @escaping () -> Value) -> () -> Value { compute }

  /// At any pace, it is called when the person pauses, once for all changes since.
  func onChange<Value: Equatable>(
    of keyPath: KeyPath<Store, Value>, in store: Store, pace: MailPace, _ action: @escaping (Value) -> Void
  ) {
    var last = store[keyPath: keyPath]
    callbacks.append {
      let new = store[keyPath: keyPath]
      if new == last { return false }
      last = new
      action(new)
      return true
    }
  }

  func transaction(_ label: String, _ body: () -> Void) { body() }

  func frame() { views.draw() }

  func settle(at now: Duration) {
    while callbacks.reduce(false, { $1() || $0 }) {}
    frame()
  }
}

extension Array: MessageList where Element: MailMessage {
  func firstIndex(id: UUID) -> Int? { firstIndex { $0.id == id } }

  mutating func adopt(_ snapshots: [MessageSnapshot]) {
    let known = Dictionary(uniqueKeysWithValues: map { ($0.id, $0) })
    let new = snapshots.map { snapshot in
      guard let message = known[snapshot.id] else { return Element(snapshot) }
      message.update(from: snapshot)
      return message
    }
    if !new.elementsEqual(self, by: ===) { self = new }
  }
}
