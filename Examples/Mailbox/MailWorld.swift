import Foundation

// The interface that the app is written against: models, and something that runs views. A world implements both. The
// app, its views, the person who uses it and the oracle are the same in all worlds.

/// A way to observe models: recorded, or as the standard library does it.
protocol MailWorld: AnyObject {
  associatedtype Store: MailStore
  associatedtype Scope: MailScope

  /// Makes the store the root of what is observed.
  func attach(_ store: Store)

  /// Draws a view now, and again whenever what it read has changed.
  ///
  /// - Returns: A closure that ends the view.
  func view(_ name: String, _ body: @escaping (Scope) -> String) -> () -> Void

  /// A value computed from the models.
  ///
  /// - Returns: A closure that reads it.
  func derived<Value: Equatable>(_ name: String, _ compute: @escaping () -> Value) -> () -> Value

  /// Calls `action` with a value of the store that has changed.
  func onChange<Value: Equatable>(
    of keyPath: KeyPath<Store, Value>, in store: Store, pace: MailPace, _ action: @escaping (Value) -> Void)

  /// Runs the body as one change.
  func transaction(_ label: String, _ body: () -> Void)

  /// Draws the views that are out of date, as a screen does between two keys.
  func frame()

  /// Runs all that is out of date, delayed callbacks too: the pause was longer than any delay.
  func settle(at now: Duration)
}

/// How often a callback is called.
enum MailPace {
  case immediate
  case throttled(Duration)
  case debounced(Duration)
  /// After each set, including a set to an equal value.
  case everySet
}

/// The argument of the body of a view.
protocol MailScope {
  /// Makes or keeps a view within this one, which does not run while its input is equal and what it read is unchanged.
  func row(_ name: String, id: AnyHashable, input: AnyHashable, _ body: @escaping (Self) -> String)

  /// Runs the action before the next run, or at the end of the view.
  func onCleanup(_ action: @escaping () -> Void)
}

/// A message in a folder.
protocol MailMessage: AnyObject, Identifiable where ID == UUID {
  var id: UUID { get }
  var sender: Address { get }
  var minute: Int { get }
  var subject: String { get set }
  var body: String { get set }
  var isRead: Bool { get set }
  var isFlagged: Bool { get set }
  var labels: [MailLabel] { get set }
  var attachments: [Attachment] { get set }

  init(_ snapshot: MessageSnapshot)
}

/// The messages of a folder, in its order.
protocol MessageList: RandomAccessCollection, MutableCollection, RangeReplaceableCollection
where Element: MailMessage, Index == Int {
  mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows
  mutating func shuffle<Generator: RandomNumberGenerator>(using generator: inout Generator)
  func firstIndex(id: UUID) -> Int?

  /// Makes the list equal to the server's, and keeps the existing objects.
  mutating func adopt(_ snapshots: [MessageSnapshot])
}

/// A folder of messages.
protocol MailFolder: AnyObject {
  associatedtype Messages: MessageList
  var name: String { get }
  var messages: Messages { get set }

  init(name: String, messages: [Messages.Element])
}

/// A message that is being written.
protocol MailDraft: AnyObject {
  var to: String { get set }
  var subject: String { get set }
  var body: String { get set }
  /// The body as it was last saved.
  var savedBody: String { get set }

  init(id: UUID, to: String)
}

/// A message in a window of its own.
protocol MailWindow: AnyObject {
  associatedtype Message: MailMessage
  var message: Message { get }
  var isExpanded: Bool { get set }

  init(id: UUID, message: Message)
}

/// The account of the person.
protocol MailAccount: AnyObject {
  var address: String { get set }
  var signature: String { get set }
  /// The number of requests to the server.
  var syncs: Int { get set }
  /// Minutes since the run began.
  var minute: Int { get set }
  /// The text of the status line.
  var status: String { get set }
}

/// All that the app holds.
protocol MailStore: AnyObject {
  associatedtype Account: MailAccount
  associatedtype Folder: MailFolder
  associatedtype Drafts: RangeReplaceableCollection where Drafts.Element: MailDraft
  associatedtype Windows: RangeReplaceableCollection & RandomAccessCollection
  where Windows.Element: MailWindow, Windows.Element.Message == Folder.Messages.Element, Windows.Index == Int

  var account: Account { get }
  var folders: [Folder] { get }
  var openFolder: Folder { get set }
  var selection: Folder.Messages.Element? { get set }
  var drafts: Drafts { get set }
  var openDraft: Drafts.Element? { get set }
  var windows: Windows { get set }
  /// The text in the search field.
  var query: String { get set }
  var settledQuery: String { get set }
  var filter: MailFilter { get set }
  /// The index of the first visible row.
  var topRow: Int { get set }
  var contacts: [String: Contact] { get set }
  var recents: [Recent] { get set }

  init(folders: [Folder])
}

extension MailMessage {
  /// The message as the server would describe it.
  var snapshot: MessageSnapshot {
    MessageSnapshot(
      id: id, sender: sender, minute: minute, subject: subject, body: body, isRead: isRead,
      isFlagged: isFlagged,
      labels: labels, attachments: attachments)
  }

  /// Takes over what differs. Sets to equal values are avoided, because each would be an event.
  func update(from new: MessageSnapshot) {
    if subject != new.subject { subject = new.subject }
    if isRead != new.isRead { isRead = new.isRead }
    if isFlagged != new.isFlagged { isFlagged = new.isFlagged }
    if labels != new.labels { labels = new.labels }
  }
}
