import EventLog
import Projection
import Testing

/// Hosts that know what they have drawn for a projection only after its body has run.
@Suite struct HostedDrawingTests {
  let model = Model()

  /// What the body of a view is in most frameworks: other views, which cannot be compared.
  private struct Body {
    let draw: () -> String
  }

  private func log(
    delivery: Delivery = .immediate, _ body: (Session) throws -> Void
  ) throws -> HostedLog {
    try HostedLog(delivery: delivery) { session in
      session.attach(model, as: "app")
      try body(session)
    }
  }

  /// The runs of a projection, each with whether its output changed.
  private func changes(of name: String, in log: HostedLog) -> [Bool?] {
    log.runs.filter { $0.name == name }.map(\.changed)
  }

  @Test func aRunIsWastedIfThePictureIsTheSame() throws {
    let log = try log { session in
      let view = session.hosted("View")
      for text in ["a", "b", "b ", "c"] {
        model.text = text
        session.frame {
          let body = view.run { [text = model.text] in Body { text.filter { $0 != " " } } }
          view.drew(body.draw())
        }
      }
    }
    // Of the first run nobody knew that a picture would follow.
    #expect(changes(of: "View", in: log) == [nil, true, false, true])
  }

  @Test func childrenRunBeforeThePictureOfTheirParentIsKnown() throws {
    let log = try log { session in
      let parent = session.hosted("Parent")
      let child = session.hosted("Child", parent: parent)
      for text in ["a", "a", "b"] {
        model.text = text
        session.frame {
          parent.run { Body { "" } }
          child.run { Body { "" } }
          child.drew(text)
          parent.drew("(\(text))")
        }
      }
    }
    #expect(log.names == ["Parent", "Child", "Child", "Parent", "Child", "Parent"])
    #expect(changes(of: "Parent", in: log) == [nil, false, true])
    #expect(changes(of: "Child", in: log) == [nil, false, true])
  }

  @Test func aPictureThatIsNeverToldIsUnknownWhenTheTurnEnds() throws {
    let log = try log { session in
      let view = session.hosted("View")
      session.frame { view.run { Body { "" } } }
      view.drew("a")
      session.frame { view.run { Body { "" } } }
      session.mark("later")
      view.run { Body { "" } }
      session.endHostTurn()
      view.run { Body { "" } }
      view.run { Body { "" } }
      view.dispose()
    }
    #expect(changes(of: "View", in: log) == [nil, nil, nil, nil, nil])
    let mark = try #require(log.events.firstIndex { $0.body == .mark(label: "later") })
    #expect(log.events[..<mark].filter { $0.body.kind == .evaluate }.count == 2)
  }

  @Test func aRunIsInTheLogBeforeWhatPutsItOutOfDate() throws {
    for delivery in [Delivery.immediate, .manual] {
      let log = try log(delivery: delivery) { session in
        let view = session.hosted("View")
        let other = session.hosted("Other")
        view.drew("")
        other.drew("")
        session.frame {
          view.run { _ = model.text }
          other.run { _ = model.isLoading }
          model.text += "a"
          other.drew("b")
          view.drew("c")
        }
        session.flush()
        #expect(session.invalidatedHosted.map(\.name) == ["View"])
      }
      let order = log.events.compactMap { event -> String? in
        switch event.body {
        case .evaluate(let name, _, let changed, _, _): "\(name) \(changed.map { "\($0)" } ?? "?")"
        case .invalidate(let name, _): "\(name) is out of date"
        default: nil
        }
      }
      // What a session collects is a transaction, which begins with the write.
      let known = delivery == .immediate ? "Other true" : "Other ?"
      #expect(Set(order) == ["View ?", known, "View is out of date"])
      #expect(order.firstIndex(of: "View ?")! < order.firstIndex(of: "View is out of date")!)
      #expect(log.waiting == ["View"])
    }
  }

  @Test func stateThatAppearsAndEndsMeanwhileLeavesThePictureKnown() throws {
    let log = try log { session in
      let parent = session.hosted("Parent")
      for text in ["a", "b", "b"] {
        session.frame {
          parent.run { Body { "" } }
          let child = session.hosted("Child", id: text, parent: parent)
          child.attach(Player(), as: "player")
          child.run { model.isLoading }
          child.dispose()
          parent.drew(text)
        }
      }
    }
    #expect(changes(of: "Parent", in: log) == [nil, true, false])
  }

  @Test func aDerivedValueThatIsComputedMeanwhileLeavesThePictureKnown() throws {
    let log = try log { session in
      let length = session.derived("length") { [model.text.count, 0] }
      let parent = session.hosted("Parent")
      let child = session.hosted("Child", parent: parent)
      for text in ["a", "bb", "cc"] {
        model.text = text
        session.frame {
          parent.run { _ = model.isLoading }
          child.run { length.value }
          parent.drew(text.count)
        }
      }
    }
    #expect(changes(of: "Parent", in: log) == [nil, true, false])
  }

  @Test func aPictureIsComparedWithTheLastOneThatWasTold() throws {
    let log = try log { session in
      let view = session.hosted("View")
      view.run { Body { "" } }
      view.drew("a")
      // Only a child was drawn anew.
      view.drew("b")
      view.run { Body { "" } }
      view.drew("b")
    }
    #expect(changes(of: "View", in: log) == [nil, false])
  }

  @Test func whatABodyReturnsNoLongerCountsOnceAPictureDoes() throws {
    let log = try log { session in
      let view = session.hosted("View")
      for (output, picture) in [(1, "a"), (2, "a"), (2, "b")] {
        view.run { output }
        view.drew(picture)
      }
    }
    #expect(changes(of: "View", in: log) == [true, false, true])
  }

  @Test func aPictureThatCannotBeComparedIsUnknown() throws {
    let log = try log { session in
      let view = session.hosted("View")
      for _ in 0..<3 {
        view.run { Body { "" } }
        view.drew(Body { "" })
      }
    }
    #expect(changes(of: "View", in: log) == [nil, nil, nil])
  }

  @Test func comparingAPictureReadsNothing() throws {
    struct Picture: Equatable {
      let model: Model
      static func == (a: Picture, b: Picture) -> Bool { a.model.text == b.model.text }
    }
    _ = try log { session in
      let (parent, child) = (session.hosted("Parent"), session.hosted("Child"))
      for _ in 0..<2 {
        parent.run {
          child.run { 0 }
          child.drew(Picture(model: model))
        }
      }
      model.text += "a"
      #expect(!parent.isInvalidated && !child.isInvalidated)
    }
  }

  @Test func aProjectionThatHasEndedAndAClosedSessionTakeNoPicture() throws {
    let session = Session()
    let (first, second) = (session.hosted("First"), session.hosted("Second"))
    second.drew("a")
    second.run { Body { "" } }
    first.dispose()
    first.drew("a")
    try session.close()
    second.drew("b")
  }
}
