import Foundation
import Invalidation
import Projection
import Testing

@testable import EventLog

/// The log of a vault: its events, and its decompressed bytes.
struct RedactedLog {
  private(set) var events: [Event] = []
  private var payloads: [UInt8] = []
  /// Invalidations that were recorded but not derived from the log, or the reverse.
  private(set) var differences: [String] = []

  init(first token: String = "xyzzy-0", _ body: (Session, Vault) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: url) }
    let session = try Session(recordingTo: url)
    let vault = Vault()
    vault.token = token
    vault.list = [Secret(id: "xyzzy", text: token)]
    session.attach(vault, as: "vault")
    try body(session, vault)
    #expect(session.diagnostics == [])
    try session.close()
    let log = try LogReader(path: url.path)
    try log.forEachEvent { events.append($0) }
    let bytes = [UInt8](try Data(contentsOf: url))
    let zstd = try #require(ZstdDecompressor())
    for block in log.blocks {
      let frame = Array(bytes[Int(block.offset)..<Int(block.endOffset)])
      payloads += try zstd.content(of: frame, size: block.payloadSize)
    }
    try compareTimelines()
  }

  /// The events without the parts that differ from run to run: times, and hashes.
  var lines: [String] {
    events.map { event in
      var event = event
      event.time = 0
      if case .evaluate(let projection, _, let changed, let inputChanged, _) = event.body {
        event.body = .evaluate(
          projection: projection, duration: 0, changed: changed, inputChanged: inputChanged)
      }
      return "\(event)".replacing(/identity: \d+/, with: "identity")
    }
  }

  /// Whether the text occurs anywhere in the decompressed blocks.
  func contains(_ text: String) -> Bool {
    let text = Array(text.utf8)
    return payloads.indices.contains { payloads[$0...].starts(with: text) }
  }

  private mutating func compareTimelines() throws {
    var timeline = Timeline()
    var derived: [String] = []
    var recorded: [String] = []
    for event in events {
      derived += try timeline.apply(event).map { "\($0.seq) \($0.projection) \($0.causes)" }
      if case .invalidate(let projection, let causes) = event.body {
        recorded.append("\(event.cause ?? 0) \(projection) \(causes)")
      }
    }
    differences = derived.difference(from: recorded).map { "\($0)" }
  }
}

struct Secret: Identifiable, Equatable {
  let id: String
  var text: String
}

struct Pair: Equatable {
  var name: String
  var inner: [String: [String]]
}

@Recorded final class Account {
  var password: String
  init(password: String) { self.password = password }
}

@Recorded final class Vault {
  @Redacted var token = ""
  @Redacted var number = 0
  @Redacted var list: RecordedArray<Secret> = []
  @Redacted var byName: RecordedDictionary<String, String> = [:]
  @Redacted var words: [String] = []
  @Redacted var pair: Pair?
  @Redacted var account: Account?
  @Redacted let constant = "xyzzy-constant"
  @Redacted(.hashed) var hashed = ""
  @Redacted(.hashed) var otherHashed = ""
  @Redacted(.hashed) var hashedList: RecordedArray<Secret> = []
  @Redacted(.hashed) var hashedObject: Account?
  var shown = ""
  var isShown = false
  var next: Vault?
}
