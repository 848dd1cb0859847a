import Foundation
import Testing

@testable import EventLog

@Suite struct EventKindTests {
  /// An event of each kind, with its entries in the tables of JSONLINES.md and FORMAT.md.
  private static let all: [(body: Event.Body, name: String, code: UInt8, subject: EventKind.Subject)] = [
    (.set(path, .int(1), sameValue: true), "set", 0, .path),
    (.splice(path, offset: 0, delete: 1, insert: .string("x"), sameValue: true), "splice", 1, .path),
    (.remove(path, sameValue: true), "remove", 2, .path),
    (.projection(name: "P", parent: "Q", tracking: .object), "projection", 3, .projection),
    (.reads(projection: "P", .paths([path])), "reads", 4, .projection),
    (.invalidate(projection: "P", causes: [1, 2]), "invalidate", 5, .projection),
    (.evaluate(projection: "P", duration: 7, changed: false, inputChanged: true), "evaluate", 6, .projection),
    (.dispose(projection: "P"), "dispose", 7, .projection),
    (.begin(label: "tap"), "begin", 8, .label), (.end, "end", 9, .nothing),
    (.mark(label: "tap"), "mark", 10, .label), (.action(label: "Refresh"), "action", 11, .label),
    (.finish(.threw), "finish", 12, .nothing),
  ]
  private static let path = Path(root: .named("store")).appending(.property("count"))

  @Test func eachKindHasItsNameItsCodeAndItsSubject() {
    #expect(Self.all.map(\.body.kind) == EventKind.allCases)
    for (body, name, code, subject) in Self.all {
      #expect(body.kind.name == name)
      #expect(EventKind(name: name) == body.kind)
      #expect(body.kind.rawValue == code)
      #expect(EventKind(code: code | 0xF0) == body.kind)
      #expect(body.kind.subject == subject)
    }
    #expect(EventKind(name: "") == nil)
    #expect((13...15).allSatisfy { EventKind(code: $0) == nil })
  }

  @Test func anEventHasWhatItsKindIsAbout() {
    for (body, name, _, subject) in Self.all {
      #expect(body.writtenPath == (subject == .path ? Self.path : nil), "\(name)")
      #expect(body.projectionName == (subject == .projection ? "P" : nil), "\(name)")
      #expect(body.sameValue == (subject == .path ? true : nil), "\(name)")
      #expect(body.isSameValue, "\(name)")
      #expect(body.settingSameValue(false).isSameValue == (subject != .path), "\(name)")
    }
  }

  @Test func anotherProjectionIsAllThatRenamingChanges() {
    for (body, name, _, subject) in Self.all {
      let renamed = body.renamingProjection("R")
      #expect((renamed == body) == (subject != .projection), "\(name)")
      #expect(renamed.projectionName == (subject == .projection ? "R" : nil), "\(name)")
      #expect(renamed.renamingProjection("P") == body, "\(name)")
    }
  }

  @Test func onlyTwoKindsChangeALife() {
    #expect(EventKind.allCases.filter { $0.lifeChange == .begins } == [.projection])
    #expect(EventKind.allCases.filter { $0.lifeChange == .ends } == [.dispose])
  }

  /// Code that needs the path or projection of an event uses the subject of its kind, so that few files list
  /// the kinds.
  @Test func fewFilesNameAKindThatHasOnlyASubject() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var naming: [String] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // A hosted projection has a method of that name.
      if text.contains(/\.dispose\b(?!\(\))/) { naming.append(file.lastPathComponent) }
    }
    #expect(naming.contains("Event.swift"))
    #expect(naming.count <= 12, "\(naming.sorted())")
  }
}
