import Projection
import Testing

@Recorded private final class Kid { var a = 0 }

@Recorded private final class Family {
  var kids = RecordedArray((0..<50).map { _ in Kid() })
}

@Recorded private final class House {
  var left: Family?
  var selected: Kid?
  var rows = RecordedArray((0..<5).map { _ in Kid() })
}

/// A reader of an object that several slots hold depends on the path by which it read the object, and on no other.
@Suite struct SharedObjectTests {
  private let session = Session()
  private let a = House()
  private let b = House()

  @Test func aReaderByOnePathIsNotInvalidatedWhenTheObjectLeavesAnother() {
    session.attach(a, as: "a")
    session.attach(b, as: "b")
    let family = Family()
    a.left = family
    b.left = family
    for row in 0..<50 { session.projection("Row#\(row)") { _ in b.left?.kids[row].a } }
    #expect(session.measure { a.left = nil }.totalEvaluations == 0)
    #expect(session.measure { b.left = nil }.evaluations("Row") == 50)
  }

  @Test func aRowIsNotInvalidatedByASelectionThatLeavesIt() {
    a.selected = a.rows[3]
    session.attach(a, as: "a")
    for row in 0..<5 { session.projection("Row#\(row)") { _ in a.rows[row].a } }
    #expect(session.measure { a.selected = a.rows[1] }.totalEvaluations == 0)
    #expect(session.measure { a.rows[3].a += 1 }.evaluationsByInstance == ["Row#3": 1])
  }

  @Test func aReaderOfACapturedObjectIsNotInvalidatedWhenAnotherTakesItsPath() {
    session.attach(a, as: "a")
    let family = Family()
    a.left = family
    session.projection("P") { _ in family.kids.count }
    #expect(session.measure { a.left = Family() }.totalEvaluations == 0)
    #expect(session.measure { family.kids.append(Kid()) }.evaluations("P") == 1)
  }
}
