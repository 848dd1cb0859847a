import Projection
import Testing

@Recorded private final class Lists {
  var first = RecordedArray(Array(0..<3_000))
  var second = RecordedArray(Array(0..<3_000))
  var showsSecond = false
}

/// A projection that depends on whole properties is not linked to the elements that it reads, and knows them by their slots. These
/// stay, so that none gets the number of another.
@Suite struct SweptReadTests {
  @Test func aProjectionOfWholePropertiesKeepsTheSlotsOfItsElements() {
    let (lists, session) = (Lists(), Session())
    session.attach(lists, as: "lists")
    // The slot of the property is there before those of the elements.
    session.projection("Count") { _ in lists.second.count }
    var sums: [Int] = []
    session.projection("Sum", tracking: .property) { _ in
      sums.append((0..<3_000).reduce(0) { $0 + (lists.showsSecond ? lists.second[$1] : lists.first[$1]) })
    }
    // Removes slots that nothing needs, which would be those of the elements.
    session.flush()
    lists.showsSecond = true
    lists.second[7] += 1
    let sum = 3_000 * 2_999 / 2
    #expect(sums == [sum, sum, sum + 1])
  }
}
