import Projection

/// Searches whose answers arrive in another order than they were asked for.
extension Stage {
  /// An older query's answer lands after the newer one's, and stays. Mended, an answer is dropped that is not to
  /// what the field says. In each of the five forms the log has what the answers are to.
  func staleAnswer() -> Truth {
    let search = search(isChecked: isMended, hasRaces: true)
    return .cause([.staleAnswer], views: [search], paths: [path(.rows)])
  }

  /// A field, a list of what was found, and a person who types words. Returns the label of the search.
  @discardableResult
  func search(isChecked: Bool, hasRaces: Bool) -> String {
    let (field, list, row) = (names.view(), names.view(), names.view())
    let (label, changed) = (names.label(), callbackName(.query))
    show(field) { [unowned self] _ in store.query }
    show(list) { [unowned self] canvas in makeRows(row, in: canvas) }
    let isDebounced = random.chance(35)
    let questions = questions(hasRaces: hasRaces, isDebounced: isDebounced)
    let latencies = Dictionary(questions.map { ($0.text, $0.latency) }) { $1 }
    let ask: @MainActor (String) -> Void = { [unowned self] query in
      let latency = latencies[query] ?? .milliseconds(80)
      request(label, query, isDebounced ? .milliseconds(120) : nil, latency, isChecked)
    }
    if part.form == .callback { onChange(of: \.query, named: changed) { _, new in ask(new) } }
    for question in questions {
      script.add(at: question.at) { [unowned self] in
        switch part.form {
        case .callback: store.query = question.text
        case .action:
          store.query = question.text
          ask(question.text)
        case .bare, .transaction, .task:
          inAction(label) {
            write { store.query = question.text }
            ask(question.text)
          }
        }
      }
    }
    return label
  }

  private struct Question {
    let at: Duration
    let text: String
    let latency: Duration
  }

  /// Words of several letters, each letter a question. In a race the last answer but one takes longest.
  private func questions(hasRaces: Bool, isDebounced: Bool) -> [Question] {
    let words = max(2, min(part.events / 8, 12))
    var moment = Duration.milliseconds(random.int(300...900))
    return (0..<words).flatMap { word in
      let letters = random.int(3...6)
      let typed = String("abcdefghijkl".dropFirst(word).prefix(1))
      let isRace = hasRaces && (word == words - 1 || random.chance(40))
      let questions = (1...letters).map { letter in
        moment += .milliseconds(isDebounced ? random.int(150...320) : random.int(90...260))
        let isSlow = isRace && letter == letters - 1
        return Question(
          at: moment, text: String(repeating: typed, count: letter),
          latency: .milliseconds(isSlow ? random.int(700...1_100) : random.int(30...70)))
      }
      moment += .milliseconds(random.int(1_800...3_500))
      return questions
    }
  }

  private func request(
    _ label: String, _ query: String, _ delay: Duration?, _ latency: Duration, _ isChecked: Bool
  ) {
    let site = Site(of: label)
    let answer: @MainActor () async -> Void = { [unowned self] in
      if let delay {
        guard await world.pause(delay), store.query == query else { return }
      }
      guard await world.pause(latency) else { return }
      if isChecked, store.query != query { return }
      write { store.rows = RecordedArray(items.prefix(query.count * 3 % items.count + 1)) }
    }
    switch part.form {
    case .action:
      world.start { [session] in
        await session.action(label, fileID: site.fileID, line: site.line) { await answer() }
      }
    case .task:
      // As a queue would have it, which carries nothing by itself.
      let cause = session.cause
      world.start { await cause.run { await answer() } }
    case .bare, .transaction, .callback: world.start(answer)
    }
  }
}
