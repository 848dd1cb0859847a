import Dispatch
import EventLog
import Testing

@testable import Projection

/// An object that the app has released leaves the state as soon as nothing in the state refers to it.
@Suite struct DepartureTests {
  let root = Folder(id: 0, name: "root")
  let session = Session()
  var state: State { session.engine.coreState }

  init() {
    session.attach(root, as: "root")
    session.engine.departures.batch = 1
  }

  @Test func objectsLeaveManyAtATime() {
    session.engine.departures.batch = 100
    for id in 1...250 {
      root.children.append(Folder(id: id, name: "new"))
      root.children.removeAll()
    }
    root.name = "set"
    #expect((49...52).contains(state.objects.count - 1))
  }

  @Test func aStateInWhichObjectsComeAndGoStaysSmall() {
    for id in 1...2_000 {
      let folder = Folder(id: id, name: "new")
      root.children.append(folder)
      let reader = session.projection("P") { _ in _ = folder.name }
      folder.name = "set"
      reader.cancel()
      root.children.remove(at: 0)
    }
    #expect(state.objects.count <= 3)
  }

  @Test func objectsThatOnlyReferToEachOtherLeaveTogether() {
    for id in 1...2_000 {
      let folder = Folder(id: id, name: "parent")
      let child = Folder(id: -id, name: "child")
      child.parent = folder
      folder.children.append(child)
      root.children.append(folder)
      root.children.removeAll()
    }
    #expect(state.objects.count < 300)
  }

  @Test func anObjectThatTheAppKeepsStays() {
    let kept = Folder(id: 1, name: "kept")
    root.children.append(kept)
    root.children.removeAll()
    for id in 2...200 {
      root.children.append(Folder(id: id, name: "new"))
      root.children.removeAll()
    }
    kept.name = "set"
    root.children.append(kept)
    #expect(session.engine.diagnostics.isEmpty)
    #expect(
      state.value(
        at: Path(root: .named("root"), components: [.property("children"), .id(1), .property("name")]))
        == "set")
  }

  @Test func objectsMayBeReleasedOnAnyThread() {
    let count = 400
    let folders = Folders((1...count).map { Folder(id: $0, name: "new") })
    for folder in folders.all { root.children.append(folder!) }
    root.children.removeAll()
    #expect(state.objects.count == count + 1)
    folders.releaseOnManyThreads()
    root.name = "set"
    root.children.append(Folder(id: 0, name: "last"))
    #expect(state.objects.count == 2)
  }

  @Test func nothingLeavesWithinATransaction() {
    root.children.append(Folder(id: 1, name: "new"))
    session.transaction {
      root.children.removeAll()
      root.name = "set"
      #expect(state.objects.count == 2)
    }
    root.children.append(Folder(id: 2, name: "new"))
    #expect(state.objects.count == 2)
  }
}

/// Folders, of which each is released once.
private final class Folders: @unchecked Sendable {
  private(set) var all: [Folder?]

  init(_ folders: [Folder]) { all = folders }

  func releaseOnManyThreads() {
    let count = all.count
    all.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: count) { buffer[$0] = nil }
    }
  }
}
