/// A user of the app, and the clock, which advances meanwhile.
///
/// All actions depend on the seed alone: runs with other ids, or in other worlds, take the same steps.
final class Person<World: MailWorld> {
  let app: MailApp<World>
  /// The time since the run began.
  private(set) var now = Duration.zero
  private var random: SplitMix
  private let server: MailServer
  private var alarms: [Alarm] = [
    Alarm(due: .seconds(60), action: .minute), Alarm(due: .seconds(300), action: .sync),
  ]
  /// Messages that are being sent, oldest first.
  private var sending: [MailApp<World>.Message] = []

  private struct Alarm {
    var due: Duration
    var action: MailAction
  }

  init(in world: World, messages: Int, rowsShown: Int, seed: UInt64, ids: MailIDs) {
    random = SplitMix(seed: seed)
    server = MailServer(random: random.split(), ids: ids.another())
    var content = random.split()
    app = MailApp(in: world, messages: messages, rowsShown: rowsShown, random: &content, ids: ids)
    world.settle(at: now)
  }

  /// Runs the next action, and the pause after it.
  ///
  /// - Parameter perform: Runs the action, so that a caller can measure it.
  func step(_ perform: (MailAction, () -> Void) -> Void) {
    // Of alarms due at the same time, the one that was set first.
    let next = alarms.indices.min { alarms[$0].due < alarms[$1].due }
    if let next, alarms[next].due <= now {
      let alarm = alarms.remove(at: next)
      perform(alarm.action) {
        ring(alarm)
        app.world.settle(at: now)
      }
    } else {
      // Longer than any delay in the app.
      now += .milliseconds(2_500 + random.below(5_500))
      let action = MailAction.any(&random)
      perform(action) {
        act(action)
        app.world.settle(at: now)
      }
    }
  }

  private func ring(_ alarm: Alarm) {
    switch alarm.action {
    case .sync:
      app.adopt(server.answer(to: app.inboxSnapshot, minute: app.store.account.minute))
      alarms.append(Alarm(due: alarm.due + .seconds(300), action: .sync))
    case .minute:
      app.store.account.minute += 1
      alarms.append(Alarm(due: alarm.due + .seconds(60), action: .minute))
    case .deliver: app.deliver(sending.removeFirst())
    default: preconditionFailure("the clock does not \(alarm.action)")
    }
  }

  private func act(_ action: MailAction) {
    let store = app.store
    switch action {
    case .read: row().map(app.read)
    case .flag: row().map(app.flag)
    case .label:
      let label = random.label()
      row().map { app.label($0, label) }
    case .move:
      let target = random.below(store.folders.count)
      row().map { app.move($0, to: target) }
    case .delete: row().map { app.delete([$0]) }
    case .deleteMany:
      let isGone = app.page().rows.map { _ in random.below(3) == 0 }
      app.delete(zip(app.page().rows, isGone).filter(\.1).map(\.0))
    case .undo: app.undo()
    case .sort: app.sort(MailOrder.allCases[random.below(MailOrder.allCases.count)])
    case .shuffle:
      var shuffled = random.split()
      app.shuffle(&shuffled)
    case .search:
      let word = random.word()
      if store.query.isEmpty { app.typeQuery(String(word.prefix(4))) } else { store.query = "" }
    case .filter: store.filter = MailFilter.allCases[random.below(MailFilter.allCases.count)]
    case .openFolder: store.openFolder = store.folders[random.below(store.folders.count)]
    case .scroll: store.topRow = max(0, min(app.page().count - 1, store.topRow + random.below(25) - 10))
    case .compose: compose()
    case .type: type()
    case .send: send()
    case .openWindow: row().map(app.open)
    case .closeWindow: window().map(app.closeWindow)
    case .expandWindow: window().map(app.expandWindow)
    case .sign: store.account.signature = "\n-- \n\(random.word())"
    case .sync, .minute, .deliver: preconditionFailure("the person does not \(action)")
    }
  }

  /// One of the rows that show.
  private func row() -> MailApp<World>.Message? {
    let rows = app.page().rows
    return rows.isEmpty ? nil : rows[random.below(rows.count)]
  }

  private func window() -> Int? {
    app.store.windows.isEmpty ? nil : random.below(app.store.windows.count)
  }

  private func compose() {
    app.compose(to: Address.known[random.below(Address.known.count)].address)
    app.store.openDraft?.subject = random.word().capitalized
  }

  /// Writes some words, key by key, mostly at the end; takes back a key now and then.
  private func type() {
    if app.store.openDraft == nil { compose() }
    let length = app.store.openDraft?.body.count ?? 0
    var offset = random.below(4) == 0 ? random.below(length + 1) : length
    for key in (0..<random.below(5) + 2).map({ _ in random.word() }).joined(separator: " ") {
      let isDeletion = offset > 0 && random.below(12) == 0
      app.type { body in
        if isDeletion {
          body.remove(at: body.index(body.startIndex, offsetBy: offset - 1))
        } else {
          body.insert(key, at: body.index(body.startIndex, offsetBy: offset))
        }
      }
      offset += isDeletion ? -1 : 1
    }
  }

  private func send() {
    guard let message = app.send() else { return }
    sending.append(message)
    alarms.append(Alarm(due: now + .seconds(10), action: .deliver))
  }
}
