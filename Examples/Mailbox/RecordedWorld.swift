import Foundation
import Projection

/// The app on this package: recorded models in a session, with or without a log.
final class RecordedWorld: MailWorld {
  @Recorded final class Message: MailMessage {
    let id: UUID
    let sender: Address
    let minute: Int
    var subject: String
    var isRead: Bool
    var isFlagged: Bool
    var labels: [MailLabel]
    var attachments: [Attachment]
    @Redacted var body: String

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

  @Recorded final class Folder: MailFolder {
    let name: String
    var messages: RecordedArray<Message>

    init(name: String, messages: [Message]) {
      self.name = name
      self.messages = RecordedArray(messages)
    }
  }

  @Recorded final class Draft: MailDraft, Identifiable {
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

  @Recorded final class Window: MailWindow, Identifiable {
    let id: UUID
    let message: Message
    var isExpanded = false

    init(id: UUID, message: Message) {
      self.id = id
      self.message = message
    }
  }

  @Recorded final class Account: MailAccount {
    @Redacted var address = "me@example.com"
    var signature = ""
    var syncs = 0
    var minute = 0
    var status = ""
  }

  @Recorded final class Store: MailStore {
    typealias Account = RecordedWorld.Account
    typealias Folder = RecordedWorld.Folder

    let account = Account()
    let folders: [Folder]
    var openFolder: Folder
    var selection: Message?
    var drafts: RecordedArray<Draft> = []
    var openDraft: Draft?
    var windows: RecordedArray<Window> = []
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

  private let session: Session
  private let clock: MailClock?

  /// - Parameter clock: The session's clock, if it is to advance between the person's actions.
  init(in session: Session, clock: MailClock?) {
    self.session = session
    self.clock = clock
  }

  func attach(_ store: Store) { session.attach(store, as: "mail") }

  func view(_ name: String, _ body: @escaping (Scope) -> String) -> () -> Void {
    let subscription = session.projection(name, body)
    return { subscription.cancel() }
  }

  func derived<Value: Equatable>(_ name: String, _ compute: @escaping () -> Value) -> () -> Value {
    let derived = session.derived(name, compute)
    return { derived.value }
  }

  func onChange<Value: Equatable>(
    of keyPath: KeyPath<Store, Value>, in store: Store, pace: MailPace, _ action: @escaping (Value) -> Void
  ) {
    switch pace {
    case .immediate: session.onChange(of: keyPath, in: store) { action($1) }
    case .throttled(let interval):
      session.onChange(of: keyPath, in: store, throttledTo: interval) { action($1) }
    case .debounced(let interval):
      session.onChange(of: keyPath, in: store, debouncedFor: interval) { action($1) }
    case .everySet: session.onReceive(of: keyPath, in: store, action)
    }
  }

  func transaction(_ label: String, _ body: () -> Void) { session.transaction(label, body) }

  /// Nothing to do: the session has drawn already, unless it collects changes for longer.
  func frame() {}

  func settle(at now: Duration) {
    session.flush()
    clock?.advance(to: now)
  }
}

extension Scope: MailScope {
  func row(_ name: String, id: AnyHashable, input: AnyHashable, _ body: @escaping (Scope) -> String) {
    child(name, id: id, input: input, body)
  }
}

extension RecordedArray: MessageList where Element: MailMessage {
  mutating func adopt(_ snapshots: [MessageSnapshot]) {
    merge(snapshots) { message, new in
      message.update(from: new)
    } insert: {
      Element($0)
    }
  }
}
