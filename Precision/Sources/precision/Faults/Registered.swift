import Projection

/// What is registered again and again, and never cancelled.
extension Stage {
  /// Each detail that is opened registers a callback on the object that it shows, and keeps it when it is closed: the updates
  /// of all objects then call more and more. Mended, it is cancelled.
  func callbacksOfEach() -> Truth {
    // One name for all, since what a session calls them by itself has the place of each object in it.
    let (label, callback) = (names.view(), "onChange(\(path(.entries)).amount)")
    let openings = min(max(12, part.events / 4), 40)
    let moments = person.taps(openings)
    let chosen = moments.map { _ in random.int(0...(part.rows - 1)) }
    show(label) { [unowned self] _ in
      Work.spend(panelCost)
      return store.status
    }
    var handle: ProjectionHandle?
    let site = Site(of: callback)
    for (index, moment) in moments.enumerated() {
      script.add(at: moment) { [unowned self] in
        if isMended { handle?.cancel() }
        handle = session.onChange(
          of: \.amount, in: store.entries[chosen[index]], name: callback, fileID: site.fileID, line: site.line
        ) { [unowned self] _, new in store.status = "\(new) now" }
      }
      script.add(at: moment + .milliseconds(90)) { [unowned self] in
        event { [unowned self] in
          // Prices arrive for all.
          for entry in store.entries { write { entry.amount = 1_000 + index } }
        }
      }
    }
    return .cause([.madeAgain, .madeInBody], views: [callback])
      .symptom([.sameValue, .burst, .callbackChain], views: [callback, label], paths: [path(.status)])
  }

  /// A screen adds a handler to a list of closures each time that it appears, and each of them makes the event's write. Mended,
  /// there is one handler.
  func handlersPiledUp() -> Truth {
    let label = names.view()
    let appearances = min(max(5, part.events / 4), 30)
    let moments = person.taps(appearances)
    var handlers: [@MainActor () -> Void] = []
    show(label) { [unowned self] _ in
      Work.spend(panelCost)
      return "\(store.first) sent"
    }
    for moment in moments {
      script.add(at: moment) { [unowned self] in
        if !isMended || handlers.isEmpty {
          handlers.append { [unowned self] in write { store.first += 1 } }
        }
      }
      for press in 1...3 {
        script.add(at: moment + .milliseconds(120 * press)) { [unowned self] in
          event { for handler in handlers { handler() } }
        }
      }
    }
    return .cause([.madeAgain], views: [label], paths: [path(.first)])
      .symptom([.burst], views: [label], paths: [path(.first)])
  }

  /// A body registers a callback in each of its runs. Mended, it is registered once.
  func callbackInBody() -> Truth {
    let (panel, label, callback) = (names.view(), names.view(), callbackName(.second))
    let moments = person.taps(min(part.events, 40))
    let register: @MainActor () -> Void = { [unowned self] in
      onChange(of: \.second, named: callback) { [unowned self] _, new in store.status = "\(new) in all" }
    }
    if isMended { onceShown(register) }
    show(panel) { [unowned self] _ in
      if !isMended { register() }
      Work.spend(panelCost)
      return "\(store.first) of \(part.rows)"
    }
    show(label) { [unowned self] _ in store.status }
    at(moments) { [unowned self] index in
      write { store.first = index + 1 }
      write { store.second = index + 2 }
    }
    return .cause([.madeInBody, .madeAgain], views: [panel, callback], paths: [path(.second)])
      .symptom([.sameValue], views: [callback], paths: [path(.status)])
  }
}
