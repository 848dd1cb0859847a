import Observation
import Projection

/// An object of a class that one does not own.
@Observable final class Meter {
  struct State: Equatable {
    var name = "meter"
    var level = 0
  }

  var state = State()
  var level = 0
}

/// A recorded object that nobody attaches.
@Recorded final class Leftover {
  var count = 0
}

/// Views that follow too much, or what the session does not know.
extension Stage {
  /// A view follows a whole object, or a property of many fields, and shows one value of it.
  func followedWhole() -> Truth {
    random.chance(50) ? trackedObject() : followedState()
  }

  private func trackedObject() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...500)
    show(list) { [unowned self] canvas in
      for item in items {
        canvas.child(row, id: item.id, tracking: isMended ? .element : .object) { [unowned self] _ in
          Work.spend(rowCost)
          return "\(store.title) \(item.id)"
        }
      }
      return list
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    return .cause([.followsWhole, .excessReads], views: [row], paths: [path(.fast), part.root])
  }

  private func followedState() -> Truth {
    let (panel, root) = (names.view(), names.root())
    let meter = Meter()
    let moments = person.samples(part.events, every: 60...500)
    session.follow(meter, as: root, properties: \.state, \.level)
    show(panel) { [unowned self] _ in
      Work.spend(panelCost)
      return meter.state.name
    }
    at(moments) { [unowned self] index in
      write { if isMended { meter.level = index + 1 } else { meter.state.level = index + 1 } }
      // A followed object is recorded at the next turn; a person cannot act within one.
      session.flush()
    }
    return .cause([.followsWhole, .excessReads], views: [panel], paths: ["\(root).state", root])
  }

  /// A view reads an object that the session does not record, and shows old data. Mended, the object is attached.
  func unrecordedRead() -> Truth {
    let (panel, root) = (names.view(), names.root())
    let moments = person.taps(part.events)
    if random.chance(50) {
      let leftover = Leftover()
      if isMended { session.attach(leftover, as: root) }
      show(panel) { _ in "\(leftover.count)" }
      at(moments) { [unowned self] _ in write { leftover.count += 1 } }
    } else {
      let meter = Meter()
      if isMended { session.follow(meter, as: root, properties: \.state, \.level) }
      show(panel) { _ in "\(meter.level)" }
      at(moments) { [unowned self] _ in
        write { meter.level += 1 }
        session.flush()
      }
    }
    return .cause([.diagnostic, .readsNothing], views: [panel])
  }
}
