import Projection

// The forms in which actions are written where they are first needed, with one statement and with three. That they compile is
// the test; main.swift has those of its own kind.

@MainActor @Recorded final class FormStore {
  var n = 0

  func refresh() async { n += 1 }
  func load() async throws -> Int { n + 1 }
  func save() throws { n += 1 }
  func next() -> Int {
    n += 1
    return n
  }
}

/// As SwiftUI's.
struct Button {
  let action: @MainActor () -> Void

  init(_ title: String, action: @escaping @MainActor () -> Void) { self.action = action }
}

/// A view: closures that are called later.
@MainActor struct FormView {
  let session: Session
  let store: FormStore

  var body: [Button] {
    [
      Button("Add", action: session.handler("Add") { store.n += 1 }),
      Button(
        "Add three",
        action: session.handler("Add three") {
          store.n += 1
          store.n += 1
          store.n += 1
        }),
      Button("Refresh", action: session.handler("Refresh") { await store.refresh() }),
      Button(
        "Refresh three",
        action: session.handler("Refresh three") {
          store.n += 1
          await store.refresh()
          store.n += 1
        }),
      Button("Next", action: session.handler("Next") { store.next() }),
      Button("Method", action: session.handler("Method", store.refresh)),
    ]
  }
}

/// An asynchronous function: bodies in place, which return and throw.
@MainActor func inPlace(_ session: Session, _ store: FormStore) async throws -> Int {
  session.action("One") { store.n += 1 }
  session.action("Three") {
    store.n += 1
    store.n += 1
    store.n += 1
  }
  await session.action("Await one") { await store.refresh() }
  await session.action("Await three") {
    store.n += 1
    await store.refresh()
    store.n += 1
  }
  try session.action("Try") { try store.save() }
  try session.action("Try three") {
    store.n += 1
    try store.save()
    store.n += 1
  }
  session.action("Unused") { store.next() }
  try await session.action("Unused load") { try await store.load() }
  let loaded = try await session.action("Load") { try await store.load() }
  return try await session.action("Load three") {
    let value = try await store.load()
    store.n = value
    return value + loaded
  }
}

/// On an actor that is not the main one.
actor FormWorker {
  private var n = 0

  func work(_ session: Session) async -> Int {
    session.action("Work") { n += 1 }
    await session.action("Work and wait") {
      n += 1
      await Task.yield()
      n += 1
    }
    return n
  }
}
