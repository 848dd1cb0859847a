import Foundation
import Projection

// Code at the top level of a program. It records to the path that it is given.

let session = try Session(
  recordingTo: URL(filePath: CommandLine.arguments[1]), options: .replacingExisting)
let store = FormStore()
session.attach(store, as: "store")

session.action("Top") { store.n += 1 }
session.action("Top three") {
  store.n += 1
  store.n += 1
  store.n += 1
}
await session.action("Top await") { await store.refresh() }
await session.action("Top await three") {
  store.n += 1
  await store.refresh()
  store.n += 1
}
session.action("Top unused") { store.next() }
let loaded = try await session.action("Top load") { try await store.load() }

for button in FormView(session: session, store: store).body { button.action() }
// The handlers that await have begun tasks.
for _ in 0..<20 { await Task.yield() }
_ = try await inPlace(session, store)
_ = await FormWorker().work(session)
try session.close()
