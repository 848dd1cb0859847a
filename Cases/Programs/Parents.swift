import Projection

// Parents that read what changes all the time.

@Recorded private final class Lesson {
  var seconds = 0
  var title = "Bees"
  var notes = 0
}

@Recorded private final class Orchard {
  var trees = RecordedArray((0..<30).map { Tree(id: $0, planted: 100 * $0) })
  var today = 10_000
}

private struct Tree: Identifiable, Equatable {
  let id: Int
  var planted: Int
}

private struct TreeOfToday: Equatable {
  let tree: Tree
  let today: Int
}

@Recorded private final class Shelf {
  var books = RecordedArray((0..<25).map { Book(id: $0, title: "book \($0)") })
}

private struct Book: Identifiable, Equatable {
  let id: Int
  var title: String
}

@Recorded private final class Sensor {
  var heat = 0.0
  var dust = 0
  var noise = 0
  var isOn = true
}

extension Case {
  static let parents = [
    Case(
      "lesson-clock", "the page of a lesson reads the time that one label shows",
      .lint(.hotParent, "LessonPage"),
      bad: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("LessonPage") { page -> String in
          work(20)
          for part in 0..<15 {
            page.child("Paragraph", id: part) {
              work(20)
              return part
            }
          }
          return "\(lesson.title) \(lesson.seconds)"
        }
        tick(60, each: 26) { _ in lesson.seconds += 1 }
      },
      fixed: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("LessonPage") { page -> String in
          work(20)
          for part in 0..<15 {
            page.child("Paragraph", id: part) {
              work(20)
              return part
            }
          }
          page.child("Time") { "\(lesson.seconds)" }
          return lesson.title
        }
        tick(60, each: 26) { _ in lesson.seconds += 1 }
      },
      healthy: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("LessonPage") { page -> String in
          work(20)
          for part in 0..<15 {
            page.child("Paragraph", id: part, input: part) {
              work(20)
              return part
            }
          }
          return "\(lesson.title) \(lesson.seconds)"
        }
        tick(60, each: 26) { _ in lesson.seconds += 1 }
      }),
    Case(
      "lesson-notes", "a card shows a count beside a title, and rebuilds its parts for both",
      .lint(.mixedReads, "Card"),
      bad: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("Card") { card -> String in
          card.child("Cover") {
            work(60)
            return 1
          }
          return "\(lesson.title) \(lesson.notes)"
        }
        tick(40, each: 26) { _ in lesson.notes += 1 }
      },
      fixed: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("Card") { card -> String in
          card.child("Cover") {
            work(60)
            return 1
          }
          card.child("Notes") { "\(lesson.notes)" }
          return lesson.title
        }
        tick(40, each: 26) { _ in lesson.notes += 1 }
      },
      healthy: { session in
        let lesson = Lesson()
        session.attach(lesson, as: "lesson")
        session.projection("Card") { card -> String in
          card.child("Cover") {
            work(60)
            return lesson.notes
          }
          return lesson.title
        }
        tick(40, each: 26) { _ in lesson.notes += 1 }
      }),
    Case(
      "orchard-age", "rows are handed the day, and show it in years", .lint(.changedInput, "Orchard"),
      bad: { session in
        let orchard = Orchard()
        session.attach(orchard, as: "orchard")
        session.projection("Orchard") { list in
          let today = orchard.today
          for tree in orchard.trees {
            list.child("TreeRow", id: tree.id, input: TreeOfToday(tree: tree, today: today)) {
              work(30)
              return "\((today - tree.planted) / 365) years"
            }
          }
        }
        tick(40, each: 26) { _ in orchard.today += 1 }
      },
      fixed: { session in
        let orchard = Orchard()
        session.attach(orchard, as: "orchard")
        session.projection("Orchard") { list in
          for tree in orchard.trees {
            let years = session.derived("years#\(tree.id)") { (orchard.today - tree.planted) / 365 }
            list.child("TreeRow", id: tree.id, input: tree) {
              work(30)
              return "\(years.value) years"
            }
          }
        }
        tick(40, each: 26) { _ in orchard.today += 1 }
      },
      healthy: { session in
        let orchard = Orchard()
        session.attach(orchard, as: "orchard")
        session.projection("Orchard") { list in
          let today = orchard.today
          for tree in orchard.trees {
            list.child("TreeRow", id: tree.id, input: TreeOfToday(tree: tree, today: today)) {
              work(30)
              return "\(today - tree.planted) days"
            }
          }
        }
        tick(40, each: 26) { _ in orchard.today += 1 }
      }),
    Case(
      "shelf-places", "rows are known by their place, and books come in at the front",
      .lint(.indexIdentity, "BookRow"),
      bad: { session in
        let shelf = Shelf()
        session.attach(shelf, as: "shelf")
        session.projection("Shelf") { list in
          for (place, book) in shelf.books.enumerated() {
            list.child("BookRow", id: place, input: book) {
              work(30)
              return book.title
            }
          }
        }
        tick(20) { shelf.books.insert(Book(id: 100 + $0, title: "new \($0)"), at: 0) }
      },
      fixed: { session in
        let shelf = Shelf()
        session.attach(shelf, as: "shelf")
        session.projection("Shelf") { list in
          for book in shelf.books {
            list.child("BookRow", id: book.id, input: book) {
              work(30)
              return book.title
            }
          }
        }
        tick(20) { shelf.books.insert(Book(id: 100 + $0, title: "new \($0)"), at: 0) }
      },
      healthy: { session in
        let shelf = Shelf()
        session.attach(shelf, as: "shelf")
        session.projection("Shelf") { list in
          for (place, book) in shelf.books.enumerated() {
            list.child("BookRow", id: place, input: book) {
              work(30)
              return book.title
            }
          }
        }
        tick(20) { shelf.books.append(Book(id: 100 + $0, title: "new \($0)")) }
      }),
    Case(
      "sensor-whole", "a panel follows a whole sensor, and shows whether it is on",
      .lint(.followsWhole, "Panel"),
      bad: { session in
        let sensor = Sensor()
        session.attach(sensor, as: "sensor")
        session.projection("Panel", tracking: .object) { panel -> String in
          for lamp in 0..<8 {
            panel.child("Lamp", id: lamp) {
              work(20)
              return lamp
            }
          }
          return sensor.isOn ? "on" : "off"
        }
        tick(30, each: 26) { step in
          sensor.heat += 0.5
          sensor.dust += 1
          sensor.noise = step % 7
        }
        sensor.isOn = false
      },
      fixed: { session in
        let sensor = Sensor()
        session.attach(sensor, as: "sensor")
        session.projection("Panel", tracking: .property) { panel -> String in
          for lamp in 0..<8 {
            panel.child("Lamp", id: lamp) {
              work(20)
              return lamp
            }
          }
          return sensor.isOn ? "on" : "off"
        }
        tick(30, each: 26) { step in
          sensor.heat += 0.5
          sensor.dust += 1
          sensor.noise = step % 7
        }
        sensor.isOn = false
      },
      healthy: { session in
        let sensor = Sensor()
        session.attach(sensor, as: "sensor")
        session.projection("Panel", tracking: .object) { "\(sensor.heat) \(sensor.dust) \(sensor.noise)" }
        tick(30, each: 26) { step in
          session.transaction {
            sensor.heat += 0.5
            sensor.dust += 1
            sensor.noise = step % 7
          }
        }
      }),
  ]
}
