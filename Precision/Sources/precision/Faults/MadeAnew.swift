import Foundation
import Projection

/// Rows that end and are made again, though they show the same.
extension Stage {
  /// Each run of the list draws its rows under new ids. Mended, the ids are those of the elements.
  func uuidIdentity() -> Truth {
    let (list, row) = (names.view(), names.view())
    let moments = person.samples(part.events, every: 60...400)
    var next = 0
    show(list) { [unowned self] canvas in
      for item in items {
        next += 1
        // As `UUID()` would be, but the same in each recording.
        let id = isMended ? "\(item.id)" : "E621E1F8-\(next)"
        canvas.child(row, id: id, input: item) { [unowned self] _ in text(of: item) }
      }
      return "at \(store.fast)"
    }
    at(moments) { [unowned self] index in write { store.fast = Double(index) + 0.5 } }
    // Whoever isolates the fast value has the same saved.
    return .cause([.madeAnew, .indexIdentity, .hotParent, .mixedReads, .changedInput], views: [list, row])
  }

  /// A row is known by what it shows, so that it and all within it is made anew when that changes. Mended, it is known by
  /// its id.
  func contentIdentity() -> Truth {
    let (list, row, detail) = (names.view(), names.view(), names.view())
    let details = random.int(4...12)
    show(list) { [unowned self] canvas in
      let shown = store.rows.elements
      for item in shown {
        let id = isMended ? "\(item.id)" : "\(item.id) \(item.amount)"
        canvas.child(row, id: id, input: item) { [unowned self] canvas in
          for number in 0..<details {
            canvas.child(detail, id: "\(id) \(number)", input: item.id) { [unowned self] _ in
              Work.spend(rowCost)
              return "\(item.caption) \(number)"
            }
          }
          return "\(item.caption) \(item.amount)"
        }
      }
      return shown.map { "\($0.amount)" }.joined(separator: " ")
    }
    changeAmounts(usingPlain: false, person.taps(part.events))
    return .cause([.madeAnew, .indexIdentity], views: [list, row, detail])
  }
}
