import Projection

/// A value whose `==` compares one of its two fields.
private struct Sticker: Equatable {
  var name: String
  var count: Int

  static func == (a: Sticker, b: Sticker) -> Bool { a.name == b.name }
}

/// The same value with an `==` that compares both.
private struct WholeSticker: Equatable {
  var name: String
  var count: Int
}

@Recorded private final class Album {
  var sticker = Sticker(name: "owl", count: 0)
  var whole = WholeSticker(name: "owl", count: 0)
}

/// An object of a class that nobody records or observes.
private final class Picture {
  var isShown = true
  var edits = 0
}

/// Views that show old data.
extension Stage {
  /// Sets differ in what the type's `==` does not compare. Mended, it compares all.
  func hiddenChange() -> Truth {
    let (panel, root) = (names.view(), names.root())
    let album = Album()
    session.attach(album, as: root)
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      return isMended ? "\(album.whole.count)" : "\(album.sticker.count)"
    }
    at(person.taps(part.events)) { [unowned self] index in
      write { if isMended { album.whole.count = index + 1 } else { album.sticker.count = index + 1 } }
    }
    return .cause([.hiddenChange], views: [panel], paths: ["\(root).sticker"])
      .symptom([.sameValue], paths: ["\(root).sticker"])
  }

  /// An action changes an object that is not recorded, and sets a recorded value to what it is so that the view is drawn
  /// again, which it is not. Mended, the value counts the edits.
  func equalSets() -> Truth {
    let (panel, row) = (names.view(), names.view())
    let picture = Picture()
    show(panel) { [unowned self] canvas in
      _ = makeRows(row, in: canvas)
      Work.spend(panelCost)
      return "\(store.title) \(store.second) \(picture.isShown) \(picture.edits)"
    }
    at(person.taps(max(part.events, 24))) { [unowned self] index in
      picture.isShown.toggle()
      picture.edits += 1
      write { if isMended { store.second = index + 1 } else { store.title = items[0].caption } }
    }
    return .cause([.sameValue, .idleAction, .diagnostic], views: [panel], paths: [path(.title)])
  }

  /// A detail keeps the object that it was opened with, which the next answer of the server replaces. Mended, it looks
  /// the object up.
  func orphanRead() -> Truth {
    let (detail, list, row) = (names.view(), names.view(), names.view())
    let moments = person.samples(min(part.events, 40), every: 500...3_000)
    let kept = store.entries[0]
    show(list) { [unowned self] canvas in
      for entry in store.entries {
        canvas.child(row, id: entry.id, input: ObjectIdentifier(entry)) { _ in
          "\(entry.caption) \(entry.amount)"
        }
      }
      // It hands its rows other objects each time.
      return "\(store.entries.map { ObjectIdentifier($0) })"
    }
    show(detail) { [unowned self] _ in
      Work.spend(panelCost)
      return "\((isMended ? store.entries[0] : kept).amount)"
    }
    var served = items
    at(moments) { [unowned self] event in
      for index in served.indices { served[index].amount = 1_000 + event * 3 + index }
      write { store.entries = RecordedArray(served.map(Entry.init)) }
    }
    return .cause([.unheld, .neverRun, .diagnostic], views: [detail])
  }

  /// The host keeps a row while its input is equal, and does not ask whether what it has read has changed.
  func leftOutOfDate() -> Truth {
    let (list, row) = (names.view(), names.view())
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    changeAmounts(usingPlain: false, person.taps(max(part.events, 60)))
    return .cause([.outOfDate, .neverRun], views: [row])
  }

  /// The host runs all bodies at each frame.
  func everyFrameRuns() -> Truth {
    let (label, list, row) = (names.view(), names.view(), names.view())
    show(label) { [unowned self] _ in "at \(store.fast)" }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.samples(part.events, every: 16...33)) { [unowned self] index in
      write { store.fast = Double(index) + 0.5 }
    }
    return .cause([.hostRuns], views: [list, row, label])
  }

  /// A body sets what follows from what it reads, and another view shows that. Mended, it is derived.
  func writeInBody() -> Truth {
    let (panel, label, total) = (names.view(), names.view(), names.view())
    let compute: @MainActor () -> Int = { [unowned self] in store.first * 3 + 1 }
    let sum = isMended ? derived(total, compute) : nil
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      if isMended { return "\(store.first)" }
      store.third = compute()
      return "\(store.first)"
    }
    show(label) { [unowned self] _ in
      Work.spend(panelCost)
      return "\(sum?.value ?? store.third) in all"
    }
    at(person.taps(part.events)) { [unowned self] index in write { store.first = index * 2 + 1 } }
    return .cause([.writeInBody], views: [panel], paths: [path(.third)])
      .symptom([.callbackChain, .selfWake], views: [panel, label], paths: [path(.third)])
  }
}
