import EventLog
import Projection
import Testing

/// Sets and sameness: a test for each decided case.
@Suite struct SetCases {
  @Test func aSetToAnEqualValueIsStoredAndObservedAndRecordedAndOnlyOnReceiveRuns() throws {
    let model = Rows()
    var heard: [String] = []
    let log = try events(of: model) { session in
      session.projection("View") { _ in heard.append("view \(model.number)") }
      session.onChange(of: \.number, in: model) { heard.append("change \($0) \($1)") }
      session.onReceive(of: \.number, in: model) { heard.append("receive \($0)") }
      model.number = 1
    }
    #expect(heard == ["view 1", "receive 1"])
    #expect(model.observed == ["will 1", "did 1"])
    #expect(log.mutations == ["row.number = 1"])
  }

  @Test func aMutationThatChangesNothingIsASameValueSetAndInvalidatesNothing() throws {
    let model = Rows()
    var runs = 0
    let log = try events(of: model) { session in
      session.projection("View") { _ in
        runs += 1
        _ = (model.plain, model.text, model.list)
      }
      func touch(_ number: inout Int) {}
      model.plain += 0
      touch(&model.plain)
      model.list[0] = model.list[0]
      model.text.append("")
    }
    #expect(runs == 1)
    #expect(log.mutations == ["row.plain = 1", "row.plain = 1", "row.list = 0,0,[]", #"row.text = "text""#])
  }

  @Test func writesBeforeAThrowAreRecordedOnceAndAThrowBeforeAnyRecordsNothing() throws {
    struct Failure: Error {}
    func write(_ number: inout Int, _ values: [Int]) throws {
      for value in values { number = value }
      throw Failure()
    }
    let model = Rows()
    let log = try events(of: model) { _ in
      #expect(throws: Failure.self) { try write(&model.plain, [7, 8]) }
      #expect(throws: Failure.self) { try write(&model.plain, []) }
    }
    #expect(log.mutations == ["row.plain <- 8"])
  }

  @Test func nanEqualsNanAndZeroEqualsMinusZeroWhichIsStoredWithItsBits() throws {
    let model = Rows()
    var runs = 0
    let log = try events(of: model) { session in
      session.projection("View") { _ in
        runs += 1
        _ = model.double
      }
      model.double = .nan
      model.double = .nan
      model.double = 0
      model.double = -0.0
    }
    #expect(runs == 3)
    #expect(model.double.sign == .minus)
    let last = try #require(log.last { if case .set = $0.body { true } else { false } })
    guard case .set(_, .double(let stored), true) = last.body else {
      Issue.record("not a same-value set of a double: \(last)")
      return
    }
    #expect(stored.sign == .minus)
  }

  @Test func aReferenceThatIsNotEquatableIsComparedByIdentity() {
    let model = Rows()
    #expect(runs(of: model, reading: { _ = $0.unequal }) { $0.unequal = model.unequal } == 1)
    #expect(runs(of: Rows(), reading: { _ = $0.unequal }) { $0.unequal = Unequal() } == 2)
  }

  @Test func anEquatableReferenceIsTheSameOnlyIfIdentityAndValueAgree() {
    #expect(runs(of: Rows(), reading: { _ = $0.equal }) { $0.equal = $0.equal } == 1)
    #expect(runs(of: Rows(), reading: { _ = $0.equal }) { $0.equal = EqualByContent(1) } == 2)
  }

  @Test func optionalsWeakReferencesAndGenericsAreComparedAsWhatTheyHold() {
    let (object, other) = (Unequal(), EqualByContent(1))
    #expect(runs(of: Rows(), reading: { _ = $0.optional }) { $0.optional = nil } == 1)
    #expect(
      runs(of: Rows(), reading: { _ = $0.optional }) {
        $0.optional = other
        $0.optional = other
        $0.optional = EqualByContent(1)
      } == 3)
    #expect(
      runs(of: Rows(), reading: { _ = $0.weakly }) {
        $0.weakly = object
        $0.weakly = object
      } == 2)
    #expect(runs(of: GenericRow(5), reading: { _ = $0.value }) { $0.value = 5 } == 1)
    #expect(runs(of: GenericRow([1]), reading: { _ = $0.value }) { $0.value = [1] } == 1)
    #expect(runs(of: GenericRow(other), reading: { _ = $0.value }) { $0.value = EqualByContent(1) } == 2)
  }

  @Test func aSetOfATypeWithoutEqualityIsAChangeUnlessThePropertyHasAComparison() {
    #expect(runs(of: Rows(), reading: { _ = $0.part }) { $0.part = $0.part } == 2)
    #expect(runs(of: Outlines(), reading: { _ = $0.byKey }) { $0.byKey = $0.byKey } == 1)
  }

  @Test func mutationInPlaceOfARecordedCollectionStaysInPlaceAndIsLoggedAsTheEdit() throws {
    let model = Rows()
    model.array = RecordedArray(0..<1000)
    model.text = String(repeating: "long ", count: 1000)
    let log = try events(of: model) { _ in
      func address() -> UInt {
        model.array.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } ?? 0
      }
      let before = address()
      model.array[500] = -1
      #expect(address() == before && before != 0)
      model.array.append(7)
      model.text.append("end")
      model.byKey["b"] = 2
    }
    #expect(
      log.mutations == [
        "row.array[500] <- -1", "row.array <- 1000,0,[7]", #"row.text <- 5000,0,"end""#,
        #"row.byKey["b"] <- 2"#,
      ])
  }

  @Test func assigningAWholeCollectionIsRecordedAsWhatDiffersAndAnEqualOneAsAnEmptySplice() throws {
    let model = Rows()
    let log = try events(of: model) { _ in
      model.array = [1, 9, 3]
      model.array = [1, 9, 3]
      model.list = [1, 2]
    }
    #expect(log.mutations == ["row.array[1] <- 9", "row.array = 0,0,[]", "row.list = 0,0,[]"])
  }

  @Test func removingAMissingKeyAndMovingAnElementOntoItselfChangeNothing() throws {
    let model = Rows()
    var runs = 0
    let log = try events(of: model) { session in
      session.projection("View") { _ in
        runs += 1
        _ = (model.byKey["missing"], Array(model.array))
      }
      model.byKey["missing"] = nil
      model.array.swapAt(1, 1)
    }
    #expect(runs == 1)
    #expect(!log.mutations.contains { $0.contains("<-") })
  }

  @Test func valuesThatCannotBeEncodedAreRecordedByTypeAndIdentityAndTracked() throws {
    let model = Rows()
    var runs = 0
    let log = try events(of: model) { session in
      session.projection("View") { _ in
        runs += 1
        _ = model.action
      }
      model.action = {}
    }
    #expect(runs == 2)
    let values = log.compactMap { event -> String? in
      if case .set(_, .opaque(let type, _), false) = event.body { type } else { nil }
    }
    #expect(values == ["() -> ()"])
  }

  private func runs<Object: RecordedObject>(
    of object: Object, reading read: @escaping (Object) -> Void, _ write: (Object) -> Void
  ) -> Int {
    let session = Session()
    session.attach(object, as: "row")
    var runs = 0
    session.projection("View") { _ in
      runs += 1
      read(object)
    }
    write(object)
    return runs
  }
}
