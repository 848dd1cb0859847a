import EventLog
import Projection
import Testing

/// A mutation in place that changes nothing is recorded as a set of the field that was written, if that is known.
@Suite struct MutatedPartTests {
  struct Price: Identifiable, Equatable {
    var id: Int
    var price = 1
  }

  struct Point: Equatable {
    var x = 0
    var y = 0
  }

  struct Quote: Identifiable {
    let id: Int
    var name = "name"
    var price = 1
    var volume = 5
    var at = Point()
    var tags: [String] = []
    var best: Point?
    var side = Side.buy
    var pair = (1, 2)
  }

  enum Side { case buy, sell(Int) }

  /// Numbers alone, which are compared with a copy.
  struct Trivial {
    let id: Int
    var price = 1
    var volume = 5
  }

  @Recorded final class Market {
    var prices: RecordedArray<Price> = [Price(id: 1), Price(id: 2)]
    var quotes: RecordedArray<Quote> = [Quote(id: 7), Quote(id: 8)]
    var trivial: RecordedArray<Trivial> = [Trivial(id: 1), Trivial(id: 2)]
    var byName: RecordedDictionary<String, Quote> = ["a": Quote(id: 1), "b": Quote(id: 2)]
    var grid: RecordedArray<RecordedArray<Quote>> = [[Quote(id: 1), Quote(id: 2)]]
    var lists: RecordedDictionary<String, RecordedArray<Price>> = ["a": [Price(id: 1)]]
    var numbers: RecordedArray<Int> = [1, 2]
    var one = Price(id: 1)
    var point = Point()
    var selected: Quote?
    var plain = [Price(id: 1), Price(id: 2)]
  }

  private func recorded(_ body: (Market) -> Void) throws -> [String] {
    let market = Market()
    return try events(of: market) { _ in body(market) }.mutations
  }

  @Test func aFieldThatIsTheOnlyVariableOfItsStructIsNamed() throws {
    let mutations = try recorded { market in
      market.prices[0].price += 0
      market.prices[id: 2]?.price += 0
      market.lists["a"]?[0].price += 0
      market.one.price += 0
    }
    #expect(
      mutations == [
        "row.prices[id: 1].price = 1", "row.prices[id: 2].price = 1", #"row.lists["a"][0].price = 1"#,
        "row.one.price = 1",
      ])
  }

  @Test func theFieldThatMutationsHaveChangedSoFarIsNamed() throws {
    let mutations = try recorded { market in
      market.quotes[0].price += 1
      for index in 0..<2 { market.quotes[index].price += 0 }
      market.byName["a"]?.price += 2
      market.byName["b"]?.price += 0
      market.byName["a", default: Quote(id: 3)].price += 0
      market.grid[0][1].volume += 1
      market.grid[0][0].volume += 0
      market.trivial[1].price += 3
      market.trivial[0].price += 0
      market.point.y += 1
      market.point.y += 0
    }
    #expect(
      mutations == [
        "row.quotes[id: 7].price <- 2", "row.quotes[id: 7].price = 2", "row.quotes[id: 8].price = 1",
        #"row.byName["a"].price <- 3"#, #"row.byName["b"].price = 1"#, #"row.byName["a"].price = 3"#,
        "row.grid[0][1].volume <- 6", "row.grid[0][0].volume = 5",
        "row.trivial[id: 2].price <- 4", "row.trivial[id: 1].price = 1",
        "row.point.y <- 1", "row.point.y = 1",
      ])
  }

  @Test func aFieldWithinAFieldIsNamedAndIfBothHaveChangedTheOneThatHoldsThem() throws {
    let mutations = try recorded { market in
      market.quotes[0].at.x += 1
      market.quotes[1].at.x += 0
      market.quotes[1].at.y += 1
      market.quotes[0].at.y += 0
    }
    #expect(
      mutations == [
        "row.quotes[id: 7].at.x <- 1", "row.quotes[id: 8].at.x = 0", "row.quotes[id: 8].at.y <- 1",
        #"row.quotes[id: 7].at = {"x":1,"y":0}"#,
      ])
  }

  @Test func fieldsOfAllKindsAreNamed() throws {
    func after(_ change: (inout Quote) -> Void, _ again: (inout Quote) -> Void) throws -> String? {
      try recorded { market in
        change(&market.quotes[0])
        again(&market.quotes[1])
      }.last
    }
    #expect(
      try after {
        $0.name += "x"
      } _: {
        $0.name += ""
      } == #"row.quotes[id: 8].name = "name""#)
    #expect(
      try after {
        $0.tags.append("x")
      } _: {
        $0.tags.append(contentsOf: [])
      }
        == "row.quotes[id: 8].tags = 0,0,[]")
    #expect(
      try after {
        $0.best = Point()
      } _: {
        $0.best?.x += 0
      } == "row.quotes[id: 8].best = null")
    #expect(
      try after {
        $0.side = .sell(1)
      } _: {
        $0.side = .buy
      } == #"row.quotes[id: 8].side = "buy""#)
    #expect(
      try after {
        $0.pair.0 += 1
      } _: {
        $0.pair.1 += 0
      } == "row.quotes[id: 8].pair = 0,0,[]")
  }

  @Test func theWholeElementIsNamedIfAnyOfSeveralFieldsMayHaveBeenWritten() throws {
    let mutations = try recorded { market in
      market.trivial[0].price += 0
      market.trivial[0].price += 1
      market.trivial[0].volume += 1
      market.trivial[1].volume += 0
    }
    #expect(
      mutations == [
        #"row.trivial[id: 1] = {"id":1,"price":1,"volume":5}"#, "row.trivial[id: 1].price <- 2",
        "row.trivial[id: 1].volume <- 6", #"row.trivial[id: 2] = {"id":2,"price":1,"volume":5}"#,
      ])
    let both = try recorded { market in
      func exchange(_ quote: inout Quote) { (quote.price, quote.volume) = (quote.volume, quote.price) }
      exchange(&market.quotes[0])
      market.quotes[1].price += 0
    }
    #expect(both.last?.hasPrefix(#"row.quotes[id: 8] = {"id":8,"#) == true)
  }

  @Test func anElementThatIsSetAsAWholeIsNamedAsAWhole() throws {
    let mutations = try recorded { market in
      market.prices[0] = market.prices[0]
      market.prices[id: 1] = market.prices[0]
      market.one = market.one
      market.numbers[0] += 0
      market.plain[0].price += 0
      market.prices[0].price += 0
    }
    #expect(
      mutations == [
        #"row.prices[id: 1] = {"id":1,"price":1}"#, #"row.prices[id: 1] = {"id":1,"price":1}"#,
        #"row.one = {"id":1,"price":1}"#, "row.numbers[0] = 1", "row.plain = 0,0,[]",
        "row.prices[id: 1].price = 1",
      ])
  }
}
