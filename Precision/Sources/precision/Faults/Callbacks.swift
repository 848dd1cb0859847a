import Projection

/// Callbacks that wake views, one another, or themselves.
extension Stage {
  /// One callback sets what another sets the next value for, and a view shows them all. Mended, they are derived.
  func callbackChain() -> Truth {
    chain(showsAll: true)
      .symptom([.burst], paths: [path(.first), path(.second), path(.third)])
  }

  /// The same, but the view shows the last value only.
  func callbackChainLast() -> Truth { chain(showsAll: false) }

  private func chain(showsAll: Bool) -> Truth {
    let (panel, doubled, tripled) = (names.view(), names.view(), names.view())
    let (toSecond, toThird) = (callbackName(.first), callbackName(.second))
    let moments = person.taps(part.events)
    let values = moments.indices.map { $0 * 3 + random.int(1...2) }
    let second = isMended ? derived(doubled) { [unowned self] in store.first * 2 + 1 } : nil
    let third = second.map { second in derived(tripled) { second.value * 3 + 1 } }
    onceShown { [unowned self] in
      guard !isMended else { return }
      onChange(of: \.first, named: toSecond) { [unowned self] _, new in store.second = new * 2 + 1 }
      onChange(of: \.second, named: toThird) { [unowned self] _, new in store.third = new * 3 + 1 }
    }
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      let last = third?.value ?? store.third
      guard showsAll else { return "\(last)" }
      return "\(store.first) \(second?.value ?? store.second) \(last)"
    }
    at(moments) { [unowned self] index in write { store.first = values[index] } }
    return .cause(
      [.callbackChain], views: [panel, toSecond, toThird],
      paths: [path(.first), path(.second), path(.third)])
  }

  /// Two callbacks set what the other follows, until the values settle. Mended, one sets what both agree on.
  func callbackLoop() -> Truth {
    let panel = names.view()
    let (forth, back) = (callbackName(.first), callbackName(.second))
    let moments = person.taps(part.events)
    let starts = moments.map { _ in 2 * random.int(2...6) }
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      return "\(store.first) and \(store.second)"
    }
    onceShown { [unowned self] in
      guard !isMended else { return }
      onChange(of: \.first, named: forth) { [unowned self] _, new in store.second = max(new - 1, 0) }
      onChange(of: \.second, named: back) { [unowned self] _, new in store.first = max(new - 1, 0) }
    }
    at(moments) { [unowned self] index in
      write { store.first = starts[index] + index % 2 }
      if isMended { write { store.first = 0 } }
    }
    return .cause([.selfWake], views: [panel, forth, back], paths: [path(.first), path(.second)])
      .symptom([.callbackChain, .burst], views: [panel, forth, back], paths: [path(.first), path(.second)])
  }

  /// A callback starts a task that sets the value again, for ever. Mended, the task sets another value, once.
  func timedLoop() -> Truth {
    let (panel, again) = (names.view(), callbackName(.first))
    let moments = person.taps(min(part.events, random.int(2...12)))
    let delay = Duration.milliseconds(random.int(60...400))
    let values = moments.indices.map { 100_000 * ($0 + 1) }
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      return "\(store.first)"
    }
    onChange(of: \.first, named: again) { [unowned self] _, new in
      world.start { [unowned self] in
        guard await world.pause(delay) else { return }
        // A newer change has a task of its own.
        guard store.first == new else { return }
        if isMended { store.tally = new } else { store.first = new + 1 }
      }
    }
    show(names.view()) { [unowned self] _ in "\(store.tally)" }
    at(moments) { [unowned self] index in write { store.first = values[index] } }
    return .cause([.selfWake], views: [panel, again], paths: [path(.first)])
      .symptom([.hotParent], views: [panel])
  }

  /// A sheet registers a callback each time that it appears, and never cancels it.
  func callbacksMadeAgain() -> Truth {
    let (field, label, callback) = (names.view(), names.view(), callbackName(.query))
    let openings = max(4, part.events / 3)
    let typed = person.typing(openings * 2)
    let moments = person.taps(openings)
    var handle: ProjectionHandle?
    show(field) { [unowned self] _ in store.query }
    show(label) { [unowned self] _ in
      Work.spend(panelCost)
      return store.status
    }
    for (index, moment) in moments.enumerated() {
      script.add(at: moment) { [unowned self] in
        if isMended { handle?.cancel() }
        handle = onChange(of: \.query, named: callback) { [unowned self] _, new in
          store.status = "\(new.count) letters"
        }
      }
      for key in 0...1 {
        script.add(at: moment + .milliseconds(40 + 60 * key)) { [unowned self] in
          event { [unowned self] in write { store.query = typed[index * 2 + key] } }
        }
      }
    }
    return .cause([.madeAgain, .madeInBody], views: [callback], paths: [path(.query)])
      .symptom([.sameValue], views: [callback], paths: [path(.status)])
  }

  /// Two callbacks of one change set a value differently. Mended, what the last one left is derived.
  func rivalCallbacks() -> Truth {
    let (panel, told) = (names.view(), names.view())
    let (one, other) = (callbackName(.first), callbackName(.first))
    let moments = person.taps(part.events)
    let showsCause = random.chance(50)
    let sent = isMended ? derived(told) { [unowned self] in "\(store.first) sent" } : nil
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      let status = sent?.value ?? store.status
      return showsCause ? "\(status) \(store.first)" : status
    }
    onceShown { [unowned self] in
      guard !isMended else { return }
      onChange(of: \.first, named: one) { [unowned self] _, new in store.status = "\(new) kept" }
      onChange(of: \.first, named: other) { [unowned self] _, new in store.status = "\(new) sent" }
    }
    at(moments) { [unowned self] index in write { store.first = index + 1 } }
    return .cause(
      [.rivalWrites, .callbackChain, .burst], views: [panel, one, other], paths: [path(.status)]
    )
    .symptom([.callbackChain], views: [panel], paths: [path(.first)])
  }
}
