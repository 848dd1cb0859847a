import Projection

/// Parts of an app that are as they should be.
extension Stage {
  /// A finger drags, 60 to 120 times a second, and one small view shows where.
  func cheapDrag() {
    let (list, thumb, row) = (names.view(), names.view(), names.view())
    show(list) { [unowned self] canvas in
      canvas.child(thumb) { [unowned self] _ in "at \(store.fast)" }
      return makeRows(row, in: canvas)
    }
    let moments = person.drags(part.events)
    at(moments) { [unowned self] index in write { store.fast = Double(index) * 1.5 + 1 } }
  }

  /// Several views change what they draw at each frame of an animation.
  func animation() {
    let views = (0..<random.int(1...4)).map { _ in names.view() }
    for (index, view) in views.enumerated() {
      show(view) { [unowned self] _ in
        Work.spend(rowCost)
        return "\(store.fast * Double(index + 1))"
      }
    }
    let moments = person.samples(part.events, every: 16...17)
    at(moments) { [unowned self] index in write { store.fast = Double(index) / 60 + 0.125 } }
  }

  /// A list that is filtered by its query must read all elements.
  func filteringList() {
    let (field, list, row) = (names.view(), names.view(), names.view())
    let typed = person.typing(part.events)
    show(field) { [unowned self] _ in store.query }
    show(list) { [unowned self] canvas in
      let letter = store.query.last
      let found = store.rows.filter { item in letter.map(item.caption.contains) ?? true }
      for item in found { canvas.child(row, id: item.id, input: item) { [unowned self] _ in text(of: item) } }
      return shown(found.map(\.id))
    }
    at(person.keys(part.events)) { [unowned self] index in write { store.query = typed[index] } }
  }

  /// A parent makes a row of each element, and a person changes, adds and removes elements.
  func rowPerItem() {
    let (list, row) = (names.view(), names.view())
    let moments = person.taps(part.events)
    let choices = moments.map { _ in random.int(0...9) }
    let places = moments.map { _ in random.int(0...100_000) }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(moments) { [unowned self] event in
      let index = places[event] % store.rows.count
      write {
        switch choices[event] {
        case 0: store.rows.append(Item(id: 600_000 + event, caption: "more", amount: event))
        case 1 where store.rows.count > 3: store.rows.remove(at: index)
        default: store.rows[index].amount += 1 + event % 3
        }
      }
    }
  }

  /// A page of elements is added at each load, in one transaction with all that belongs to it.
  func batchLoad() {
    let (header, list, row, load) = (names.view(), names.view(), names.view(), names.label())
    let page = random.int(3...12)
    show(header) { [unowned self] _ in "\(store.status) \(store.first) \(store.isShown)" }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(person.taps(min(part.events, 20))) { [unowned self] event in
      inTransaction(load) {
        let first = 800_000 + event * page
        store.rows.append(
          contentsOf: (first..<first + page).map { Item(id: $0, caption: "page \(event)", amount: $0) })
        store.first = event + 1
        store.status = "page \(event + 1)"
        store.isShown.toggle()
      }
    }
  }

  /// Rows come and go as a list is scrolled.
  func scrolling() {
    let (list, row) = (names.view(), names.view())
    let height = random.int(4...12)
    let moments = person.samples(part.events, every: 30...120)
    var offset = 0
    let offsets = moments.map { _ in
      offset = min(max(offset + random.int(-1...3), 0), max(part.rows - height, 0))
      return offset
    }
    show(list) { [unowned self] canvas in
      let ids = store.rows.ids.dropFirst(store.offset).prefix(height)
      for id in ids {
        canvas.child(row, id: id, input: id) { [unowned self] _ in text(of: store.rows[id: id]) }
      }
      return shown(Array(ids))
    }
    at(moments) { [unowned self] index in
      if store.offset != offsets[index] { write { store.offset = offsets[index] } }
    }
  }

  /// A form whose button depends on whether the text is valid, which seldom changes.
  func validatedForm() {
    let (field, button, valid) = (names.view(), names.view(), names.view())
    let typed = person.typing(part.events)
    let isValid = derived(valid) { [unowned self] in store.title.count >= 5 }
    show(field) { [unowned self] _ in store.title }
    show(button) { _ in isValid.value ? "Send" : "Too short" }
    at(person.keys(part.events)) { [unowned self] index in write { store.title = typed[index] } }
  }

  /// A clock that shows the seconds.
  func wallClock() {
    let label = names.view()
    show(label) { [unowned self] _ in "\(store.first) s" }
    at(person.samples(min(part.events, 60), every: 1_000...1_000)) { [unowned self] _ in
      write { store.first += 1 }
    }
  }

  /// A sheet registers a callback when it appears, and cancels it when it disappears.
  func cancelledCallbacks() {
    let (field, label, callback) = (names.view(), names.view(), callbackName(.query))
    let moments = person.taps(min(part.events, 80))
    let typed = person.typing(moments.count)
    var handle: ProjectionHandle?
    show(field) { [unowned self] _ in store.query }
    show(label) { [unowned self] _ in store.status }
    at(moments) { [unowned self] index in
      handle?.cancel()
      handle = onChange(of: \.query, named: callback) { [unowned self] _, new in
        store.status = "\(new) \(index)"
      }
      write { store.query = typed[index] + "\(index)" }
    }
  }

  /// A callback corrects a value that is out of bounds, which few are.
  func clampedValue() {
    let (slider, clamp) = (names.view(), callbackName(.second))
    let moments = person.samples(part.events, every: 100...400)
    let values = moments.indices.map { random.chance(6) ? 5_000 + $0 : 2 * $0 + random.int(0...1) }
    show(slider) { [unowned self] _ in "\(store.second)" }
    onChange(of: \.second, named: clamp) { [unowned self] _, new in if new > 1_000 { store.second = 1_000 } }
    at(moments) { [unowned self] index in write { store.second = values[index] } }
  }

  /// The server is asked again and again, and its answers are merged: of equal rows nothing is set.
  func mergedRefetch() {
    let (header, list, row) = (names.view(), names.view(), names.view())
    let moments = person.samples(part.events, every: 500...5_000)
    let changes = moments.map { _ in (random.int(0...(part.rows - 1)), random.chance(60)) }
    var served = items
    show(header) { [unowned self] _ in "\(store.rows.elements.map(\.amount).reduce(0, +)) in all" }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    at(moments) { [unowned self] event in
      let (index, isChanged) = changes[event]
      if isChanged { served[index].amount += 1 }
      write { store.rows.merge(served) }
    }
  }
}
