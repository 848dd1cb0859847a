import Projection

/// Parts of an app that are as they should be, as one finds them in real ones.
extension Stage {
  /// A person sorts a list by one column or the other.
  func sortedRows() {
    let (list, row) = (names.view(), names.view())
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.taps(min(part.events, 30))) { [unowned self] index in
      write {
        if index % 2 == 0 {
          store.rows.sort { ($0.caption, $0.id) < ($1.caption, $1.id) }
        } else {
          store.rows.sort { ($0.amount, $0.id) < ($1.amount, $1.id) }
        }
      }
    }
  }

  /// A person edits elements, and takes some of the edits back.
  func undo() {
    let (toolbar, list, row, label) = (names.view(), names.view(), names.view(), names.label())
    let moments = person.taps(part.events)
    let choices = moments.map { _ in (index: random.int(0...(part.rows - 1)), isUndo: random.chance(35)) }
    var edits: [(index: Int, amount: Int)] = []
    show(toolbar) { [unowned self] _ in store.isShown ? "Undo" : "" }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(moments) { [unowned self] event in
      let (index, isUndo) = choices[event]
      inTransaction(label) {
        if isUndo, let edit = edits.popLast() {
          store.rows[edit.index].amount = edit.amount
        } else {
          edits.append((index, store.rows[index].amount))
          store.rows[index].amount = 2_000 + event
        }
        store.isShown = !edits.isEmpty
      }
    }
  }

  /// A page is loaded when one comes near the end of a list, while a wheel turns.
  func endlessFeed() {
    let (wheel, list, row, label) = (names.view(), names.view(), names.view(), names.label())
    let page = random.int(3...12)
    let moments = person.samples(min(part.events, 20), every: 1_500...4_000)
    let latencies = moments.map { _ in Duration.milliseconds(random.int(60...700)) }
    let site = Site(of: label)
    show(wheel) { [unowned self] _ in store.isShown ? "loading" : "" }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    for (event, moment) in moments.enumerated() {
      script.add(at: moment) { [unowned self] in
        world.start { [unowned self] in
          await session.action(label, fileID: site.fileID, line: site.line) { [unowned self] in
            store.isShown = true
            guard await world.pause(latencies[event]) else { return }
            inTransaction(label) {
              let first = 800_000 + event * page
              store.rows.append(
                contentsOf: (first..<first + page).map { Item(id: $0, caption: "page \(event)", amount: $0) })
              store.isShown = false
            }
          }
        }
      }
    }
  }

  /// A search cancels the one before it, so that only the latest is answered.
  func cancelledSearch() {
    let (field, list, row, label) = (names.view(), names.view(), names.view(), names.label())
    let moments = person.keys(min(part.events, 80))
    let typed = person.typing(moments.count)
    let latencies = moments.map { _ in Duration.milliseconds(random.int(40...600)) }
    let site = Site(of: label)
    show(field) { [unowned self] _ in store.query }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    var search: Task<Void, Never>?
    for (event, moment) in moments.enumerated() {
      script.add(at: moment) { [unowned self] in
        search?.cancel()
        search = world.start { [unowned self] in
          await session.action(label, fileID: site.fileID, line: site.line) { [unowned self] in
            store.query = typed[event]
            guard await world.pause(latencies[event]) else { return }
            store.rows.merge(items.prefix(typed[event].count * 3 % items.count + 1))
          }
        }
      }
    }
  }

  /// An actor of its own counts what it has done, and draws that itself.
  func ownActor() {
    let (list, row, bar) = (names.view(), names.view(), names.view())
    let courier = Courier(session, root: names.root(), bar: bar)
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    let moments = person.samples(min(part.events, 60), every: 100...800)
    for moment in moments {
      script.add(at: moment) { [unowned self] in world.start { await courier.carry() } }
    }
    changeAmounts(usingPlain: false, person.taps(min(part.events, 40)))
  }

  /// An object of a class that one does not own is followed, by the properties that views show.
  func followedPlayer() {
    let (title, bar, root) = (names.view(), names.view(), names.root())
    let meter = Meter()
    session.follow(meter, as: root, properties: \.state.name, \.level)
    show(title) { _ in meter.state.name }
    show(bar) { _ in "\(meter.level)" }
    at(person.samples(part.events, every: 200...500)) { [unowned self] index in
      write { meter.level = index + 1 }
      session.flush()
    }
  }

  /// Words of an answer arrive and are added to the last message.
  func streamedText() {
    let (list, row) = (names.view(), names.view())
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.samples(part.events, every: 40...120)) { [unowned self] index in
      write { store.rows[store.rows.count - 1].caption += " word\(index)" }
    }
  }

  /// A person goes from screen to screen; each is made when it appears.
  func tabs() {
    let (home, list, row, detail) = (names.view(), names.view(), names.view(), names.view())
    show(home) { [unowned self] canvas in
      let tab = store.selection
      switch tab % 3 {
      case 0: canvas.child(list) { [unowned self] canvas in makeRows(row, in: canvas) }
      case 1: canvas.child(detail) { [unowned self] _ in "\(store.title) in detail" }
      default: break
      }
      return "tab \(tab % 3)"
    }
    let moments = person.taps(min(part.events, 40))
    let turns = moments.map { _ in random.int(1...2) }
    var tab = 0
    at(moments) { [unowned self] index in
      tab = (tab + turns[index]) % 3
      write { store.selection = tab }
    }
  }

  /// All views show the theme, which is seldom changed.
  func theme() {
    let (list, row) = (names.view(), names.view())
    show(list) { [unowned self] canvas in
      for id in store.rows.ids {
        canvas.child(row, id: id, input: id) { [unowned self] _ in
          "\(store.title): \(text(of: store.rows[id: id]))"
        }
      }
      return shown(store.rows.ids)
    }
    let moments = person.samples(random.int(2...6), every: 20_000...60_000)
    at(moments) { [unowned self] index in write { store.title = "theme \(index)" } }
  }

  /// A clock counts the seconds, and a view shows the minutes.
  func minutes() {
    let (label, minute) = (names.view(), names.view())
    let passed = derived(minute) { [unowned self] in store.first / 60 }
    show(label) { _ in "\(passed.value) min" }
    at(person.samples(part.events, every: 1_000...1_000)) { [unowned self] _ in write { store.first += 1 } }
  }

  /// A person pulls to refresh, and everything is new.
  func newContent() {
    let (list, row) = (names.view(), names.view())
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.samples(min(part.events, 20), every: 4_000...20_000)) { [unowned self] event in
      let fresh = items.enumerated().map { index, item in
        Item(
          id: 900_000 + event * 1_000 + index, caption: "\(item.caption) \(event)", amount: event * 7 + index)
      }
      write { store.rows = RecordedArray(fresh) }
    }
  }

  /// Three fields, what is wrong with each, and a button that all of them must allow.
  func signUp() {
    let fields = [names.view(), names.view(), names.view()]
    let checks = [names.view(), names.view(), names.view()]
    let (button, allowed) = (names.view(), names.view())
    let typed = person.typing(part.events)
    let texts: [@MainActor () -> String] = [
      { [unowned self] in store.title }, { [unowned self] in store.query },
      { [unowned self] in store.status },
    ]
    let valid = zip(checks, texts).map { check, text in derived(check) { text().count >= 4 } }
    let areAllValid = derived(allowed) { valid.allSatisfy(\.value) }
    for (index, field) in fields.enumerated() {
      show(field) { _ in valid[index].value ? texts[index]() : "\(texts[index]()) is too short" }
    }
    show(button) { _ in areAllValid.value ? "Sign up" : "" }
    let share = max(typed.count / 3, 1)
    at(person.keys(typed.count)) { [unowned self] index in
      write {
        switch index / share {
        case 0: store.title = typed[index]
        case 1: store.query = typed[index]
        default: store.status = typed[index]
        }
      }
    }
  }

  /// A finger drags one element of many, whose row alone shows where it is.
  func draggedItem() {
    let (list, row) = (names.view(), names.view())
    let dragged = random.int(0...(part.rows - 1))
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.drags(part.events)) { [unowned self] index in
      write { store.rows[dragged].amount = 1_000 + index }
    }
  }

  /// The list reads which row is chosen, and hands each row whether it is.
  func chosenRow() {
    let (list, row) = (names.view(), names.view())
    let moments = person.taps(part.events)
    let chosen = moments.map { _ in random.one(of: items).id }
    show(list) { [unowned self] canvas in
      let selection = store.selection
      for item in items {
        canvas.child(row, id: item.id, input: "\(item.id) \(item.id == selection)") { [unowned self] _ in
          (item.id == selection ? "> " : "  ") + text(of: item)
        }
      }
      return "\(selection)"
    }
    at(moments) { [unowned self] index in write { store.selection = chosen[index] } }
  }

  /// Something moves: both of its coordinates are set at each frame, in one transaction.
  func coordinates() {
    let (board, piece, move) = (names.view(), names.view(), names.label())
    show(board) { [unowned self] canvas in
      canvas.child(piece) { [unowned self] _ in "at \(store.first), \(store.second)" }
      return store.title
    }
    at(person.drags(part.events)) { [unowned self] index in
      inTransaction(move) {
        store.first = index * 2 + 1
        store.second = index * 3 + 1
      }
    }
  }
}

@Recorded private final class Load {
  var parcels = 0
}

/// An actor that has a model and a view of its own, from its first parcel on.
private actor Courier {
  private let load = Load()
  private let session: Session
  private let root: String
  private let bar: String
  private var hasBegun = false

  init(_ session: Session, root: String, bar: String) {
    (self.session, self.root, self.bar) = (session, root, bar)
  }

  func carry() {
    if !hasBegun { begin() }
    load.parcels += 1
  }

  private func begin() {
    hasBegun = true
    session.attach(load, as: root)
    let site = Site(of: bar)
    session.projection(bar, fileID: site.fileID, line: site.line) { [load, bar] in
      Work.measured(bar) { "\(load.parcels) parcels" }
    }
  }
}
