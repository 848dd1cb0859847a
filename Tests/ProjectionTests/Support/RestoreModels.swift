import EventLog
import Foundation
import Projection

/// A log in a separate directory, which is removed with this object.
final class LogPlace {
  let url: URL
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "restore-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    url = directory.appending(path: "run.evlog")
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Records what `body` does with a session.
  func record(_ body: (Session) throws -> Void) throws {
    let session = try Session(recordingTo: url)
    try body(session)
    try session.close()
  }
}

enum Priority: String, Codable { case low, high = "HIGH" }

enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(Double, isFilled: Bool)
  case none
}

/// Without raw values and without `Codable`: recorded by the name of the case.
enum Mode: CaseIterable { case reading, writing }

struct Tag: Codable, Equatable, Hashable, Identifiable {
  var id: Int
  var name: String
  var note: String?
}

@Recorded final class Everything {
  var number = 1
  var small: Int8 = 0
  var large: UInt64 = 0
  var ratio = 0.0
  var single: Float = 0
  var flag = false
  var text = ""
  var letter: Character = "a"
  var maybe: Int?
  var nested: Int?? = nil
  var numbers: [Int] = []
  var table: [String: Int] = [:]
  var byNumber: [Int: String] = [:]
  var byTag: [Tag: Int] = [:]
  var set: Set<String> = []
  var priority = Priority.low
  var shape = Shape.none
  var shapes: [Shape] = []
  var mode = Mode.reading
  var tag: Tag?
  var tags: RecordedArray<Tag> = []
  var index: RecordedDictionary<String, Tag> = [:]
  var byPriority: RecordedDictionary<Priority, Int> = [:]
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var id = UUID()
  var data = Data()
  var url: URL?
  var price: Decimal = 0
  @Redacted var token = "default"
  @RecordedIgnored var scratch = "default"
  var action: () -> Void = {}
}

/// Created by an initializer; refers to other objects of its class.
@Recorded final class Folder: Identifiable {
  let id: Int
  var name: String
  var children: RecordedArray<Folder> = []
  weak var parent: Folder?
  var friends: [String: Folder] = [:]

  init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

@Recorded final class Chain {
  var number = 0
  var next: Chain?
}

@Recorded class Animal {
  var name: String
  init(name: String) { self.name = name }
}

@Recorded final class Dog: Animal {
  var tricks: [String]
  init(name: String, tricks: [String] = []) {
    self.tricks = tricks
    super.init(name: name)
  }
}

@Recorded final class Zoo {
  var animals: [Animal] = []
  var star: Animal?
}

@MainActor @Recorded final class Screen {
  var title = ""
  var folder: Folder?
}

final class Service {}

/// Its initializer needs a value that no log holds.
@Recorded final class Client {
  @RecordedIgnored let service: Service
  var count = 0
  init(service: Service) { self.service = service }
}
