import Foundation

// The values of the mail app, which are the same in every world, and which the server sends.

/// Who sends or receives mail.
struct Address: Hashable, Codable, Sendable {
  var name: String
  var address: String
}

/// A file that comes with a message.
struct Attachment: Hashable, Codable, Sendable {
  var name: String
  var bytes: Int
}

/// A label of a message.
enum MailLabel: String, CaseIterable, Codable, Sendable {
  case important, later, receipt, travel
  /// On a message that has not been sent yet.
  case sending
}

/// Further facts about an address.
struct Contact: Hashable, Codable, Sendable {
  var name: String
  var opened = 0
  var written = 0
}

/// A message that was opened recently.
struct Recent: Hashable, Codable, Sendable {
  var id: UUID
  var subject: String
  var address: String
}

/// Selects which messages of a folder are listed.
enum MailFilter: String, CaseIterable, Codable, Sendable {
  case all, unread, flagged
}

/// An order of the messages in a folder.
enum MailOrder: CaseIterable {
  case newestFirst, subject, sender
}

/// A message as the server describes it, and as a folder is first filled.
struct MessageSnapshot: Identifiable, Equatable, Sendable {
  let id: UUID
  var sender: Address
  /// When it was sent, in minutes since the run began.
  var minute: Int
  var subject: String
  var body: String
  var isRead = false
  var isFlagged = false
  var labels: [MailLabel] = []
  var attachments: [Attachment] = []
}

extension MessageSnapshot {
  /// A random message. Only its id depends on `ids`.
  static func madeUp(minute: Int, _ random: inout SplitMix, _ ids: inout MailIDs) -> MessageSnapshot {
    let sender = Address.known[random.below(Address.known.count)]
    let subject = "\(random.word().capitalized) \(random.word()) \(random.word())"
    return MessageSnapshot(
      id: ids.next(), sender: sender, minute: minute, subject: subject,
      body: (0..<random.below(30) + 10).map { _ in random.word() }.joined(separator: " ") + ".",
      isRead: random.below(4) > 0, isFlagged: random.below(12) == 0,
      labels: random.below(5) == 0 ? [random.label()] : [],
      attachments: random.below(8) == 0
        ? [Attachment(name: "\(random.word()).pdf", bytes: 1_000 + random.below(1_000_000))] : [])
  }
}

extension Address {
  /// All senders.
  static let known = (1...40).map { Address(name: "Team \($0)", address: "team-\($0)@example.com") }
}

extension SplitMix {
  /// A random word.
  mutating func word() -> String { Self.words[below(Self.words.count)] }

  /// A random label that a person can give.
  mutating func label() -> MailLabel { MailLabel.allCases[below(MailLabel.allCases.count - 1)] }

  private static let words = [
    "agenda", "answer", "budget", "build", "change", "coffee", "contract", "draft", "figures", "invoice",
    "lunch",
    "meeting", "minutes", "offer", "order", "parcel", "photos", "plan", "question", "release", "reminder",
    "report",
    "review", "schedule", "ticket", "update", "visit", "weekend",
  ]
}
