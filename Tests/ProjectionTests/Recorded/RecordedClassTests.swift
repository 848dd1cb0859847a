import Observation
import Projection
import Synchronization
import Testing

@Suite struct RecordedClasses {
  @Test func propertiesAreListedAndReadInTheOrderOfDeclaration() {
    let object = Assorted(id: 3, element: "e")
    #expect(contents(object) == "rows=[3] id=3 token= other=nil element=e default=1 system=1")
    #expect(Assorted<Int>._$properties.filter(\.isRedacted).map(\.name) == ["token"])
    #expect(Assorted<Int>._$properties.filter(\.isConstant).map(\.name) == ["id"])
    #expect(Assorted<Int>._$propertyCount == Assorted<Int>._$properties.count)
  }

  @Test func variablesAreWrittenByNumberAndConstantsAreNot() {
    let object = Assorted(id: 3, element: "e")
    #expect(object._$write(property: 0, from: Put([1, 2])))
    #expect(object.rows == [1, 2])
    #expect(!object._$write(property: 1, from: Put(9)))
    #expect(object.id == 3)
    #expect(!object._$write(property: 99, from: Put(9)))
    #expect(!object._$read(property: -1, into: Collect()))
  }

  @Test func subclassesContinueTheNumbersOfTheirSuperclass() {
    #expect(contents(Bottom()) == "middle=1 bottom=4")
    #expect(contents(Unmarked()) == "middle=1")
    #expect(Bottom._$propertyCount == 2)
    let object = Bottom()
    #expect(object._$write(property: 0, from: Put(7)))
    #expect(object._$write(property: 1, from: Put(8)))
    #expect(object.middle == 7 && object.bottom == 8)
  }

  @Test @MainActor func isolatedClassesAreReadFromTheirIsolation() {
    let object = IsolatedDerived()
    object.second.append(3)
    #expect(contents(object).hasPrefix("first=1 constant="))
    #expect(contents(object).hasSuffix(" second=[2, 3]"))
    #expect(object._$write(property: 2, from: Put([9])))
    #expect(object.second == [9])
    #expect(contents(IsolatedLeaf()) == "value=1")
  }

  @Test func observersAreNotifiedOfChanges() {
    let object = Bottom()
    #expect(notifications(reading: { _ = object.bottom }, while: { object.bottom = 9 }) == 1)
    #expect(notifications(reading: { _ = object.middle }, while: { object.middle += 1 }) == 1)
    #expect(notifications(reading: { _ = object.middle }, while: { object.bottom = 1 }) == 0)
    #expect(notifications(reading: { _ = object.bottom }, while: { object.bottom = 1 }) == 0)
    #expect(notifications(reading: { _ = object.unmarked }, while: { object.unmarked = 1 }) == 0)
  }

  @Test func anObserverOfTheStandardLibraryMayReadTheProperty() {
    let object = Assorted(id: 1, element: 1)
    nonisolated(unsafe) let unsafe = object
    let seen = Mutex<[[Int]]>([])
    withObservationTracking {
      _ = object.rows
    } onChange: {
      let rows = unsafe.rows
      seen.withLock { $0.append(rows) }
    }
    object.rows.append(2)
    #expect(seen.withLock { $0 } == [[1]])
  }

  @Test func mutationInPlaceCopiesNothingWithoutASession() {
    let object = Assorted(id: 1, element: 1)
    object.rows = Array(0..<100)
    let before = object.rows.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    object.rows[3] = 5
    let after = object.rows.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    #expect(before == after)
  }

  private func notifications(reading: () -> Void, while body: () -> Void) -> Int {
    let count = Mutex(0)
    withObservationTracking(reading) { count.withLock { $0 += 1 } }
    body()
    return count.withLock { $0 }
  }

  private func contents(_ object: some RecordedObject) -> String {
    type(of: object)._$properties.enumerated().compactMap { number, property in
      let collect = Collect()
      guard object._$read(property: number, into: collect), let text = collect.text else { return nil }
      return "\(property.name)=\(text)"
    }.joined(separator: " ")
  }
}

private final class Collect: RecordedPropertyReader {
  var text: String?
  func read<Member>(_ value: Member) { text = "\(value)" }
}

private final class Put: RecordedPropertyWriter {
  let value: Any
  init(_ value: Any) { self.value = value }
  func write<Member>(_ storage: inout Member) {
    if let value = value as? Member { storage = value }
  }
}
