import Projection

// Views that read more than they show.

@Recorded private final class Map {
  var hovered = 0
  var zoom = 1.0
  var towns = RecordedArray((0..<60).map { Town(id: $0, people: 100 * $0) })
}

private struct Town: Identifiable, Equatable {
  let id: Int
  var people: Int
}

@Recorded private final class Till {
  var cents = 0
  var limit = 5_000
  var unread = 0
  var prices: RecordedDictionary<String, Int> = [:]
}

@Recorded private final class Seats {
  var taken: [Bool] = Array(repeating: false, count: 40)
  var price = 10
}

extension Case {
  static let reads = [
    Case(
      "map-hover", "every town asks whether the pointer is over it", .lint(.oneOfMany, "TownView"),
      bad: { session in
        let map = Map()
        session.attach(map, as: "map")
        for town in 0..<60 {
          session.projection("TownView#\(town)") { () -> Bool in
            work(30)
            return map.hovered == town
          }
        }
        tick(40, each: 26) { map.hovered = $0 }
      },
      fixed: { session in
        let map = Map()
        session.attach(map, as: "map")
        for town in 0..<60 {
          let isHovered = session.derived("isHovered#\(town)") { map.hovered == town }
          session.projection("TownView#\(town)") { () -> Bool in
            work(30)
            return isHovered.value
          }
        }
        tick(40, each: 26) { map.hovered = $0 }
      },
      healthy: { session in
        let map = Map()
        session.attach(map, as: "map")
        for town in 0..<60 {
          session.projection("TownView#\(town)") { () -> Double in
            work(30)
            return map.zoom * Double(town + 1)
          }
        }
        tick(20) { map.zoom = 1 + Double($0) / 10 }
      }),
    Case(
      "map-share", "every town computes the number of all people for its share of them",
      .lint(.wholeCollection, "ShareView"),
      bad: { session in
        let map = Map()
        session.attach(map, as: "map")
        for part in 0..<15 {
          session.projection("ShareView#\(part)") { () -> Int in
            work(80)
            let all = map.towns.reduce(0) { $0 + $1.people }
            return all / 10_000 / (part + 1)
          }
        }
        tick(30) { map.towns[$0].people += 1 }
      },
      fixed: { session in
        let map = Map()
        session.attach(map, as: "map")
        let all = session.derived("all") { () -> Int in
          work(80)
          return map.towns.reduce(0) { $0 + $1.people } / 10_000
        }
        for part in 0..<15 {
          session.projection("ShareView#\(part)") { () -> Int in
            work(5)
            return all.value / (part + 1)
          }
        }
        tick(30) { map.towns[$0].people += 1 }
      },
      healthy: { session in
        let map = Map()
        session.attach(map, as: "map")
        for town in 0..<60 {
          session.projection("TownView#\(town)") { () -> Int in
            work(30)
            return map.towns[town].people
          }
        }
        tick(30) { map.towns[$0].people += 1 }
      }),
    Case(
      "till-limit", "a warning reads the sum, and shows whether it is above a limit",
      .lint(.excessReads, "Warning"),
      bad: { session in
        let till = Till()
        session.attach(till, as: "till")
        session.projection("Warning") { () -> String in
          work(100)
          return till.cents > till.limit ? "full" : ""
        }
        tick(60, each: 26) { _ in till.cents += 7 }
      },
      fixed: { session in
        let till = Till()
        session.attach(till, as: "till")
        let isFull = session.derived("isFull") { till.cents > till.limit }
        session.projection("Warning") { () -> String in
          work(100)
          return isFull.value ? "full" : ""
        }
        tick(60, each: 26) { _ in till.cents += 7 }
      },
      healthy: { session in
        let till = Till()
        session.attach(till, as: "till")
        session.projection("Sum") { () -> String in
          work(100)
          return "\(till.cents)"
        }
        tick(60, each: 26) { _ in till.cents += 7 }
      }),
    Case(
      "till-badge", "a badge of two causes: one of them never changes what it shows",
      .lint(.excessReads, "Badge"),
      bad: { session in
        let till = Till()
        session.attach(till, as: "till")
        session.projection("Badge") { () -> String in
          work(80)
          return "\(till.unread)\(till.cents < 0 ? "!" : "")"
        }
        tick(80, each: 26) { step in
          till.cents += 3
          if step % 8 == 0 { till.unread += 1 }
        }
      },
      fixed: { session in
        let till = Till()
        session.attach(till, as: "till")
        let isBelow = session.derived("isBelow") { till.cents < 0 }
        session.projection("Badge") { () -> String in
          work(80)
          return "\(till.unread)\(isBelow.value ? "!" : "")"
        }
        tick(80, each: 26) { step in
          till.cents += 3
          if step % 8 == 0 { till.unread += 1 }
        }
      },
      healthy: { session in
        let till = Till()
        session.attach(till, as: "till")
        session.projection("Badge") { () -> String in
          work(80)
          return "\(till.unread) \(till.cents)"
        }
        tick(80, each: 26) { step in
          till.cents += 3
          if step % 8 == 0 { till.unread += 1 }
        }
      }),
    Case(
      "till-prices", "every label reads the whole list of prices for one of them",
      .lint(.wholeCollection, "PriceLabel"),
      bad: { session in
        let till = Till()
        for key in 0..<30 { till.prices["p\(key)"] = key }
        session.attach(till, as: "till")
        for key in 0..<30 {
          session.projection("PriceLabel#\(key)", tracking: .property) { () -> Int in
            work(25)
            return till.prices["p\(key)"] ?? 0
          }
        }
        tick(40, each: 26) { till.prices["p\($0 % 30)"] = 100 + $0 }
      },
      fixed: { session in
        let till = Till()
        for key in 0..<30 { till.prices["p\(key)"] = key }
        session.attach(till, as: "till")
        for key in 0..<30 {
          session.projection("PriceLabel#\(key)") { () -> Int in
            work(25)
            return till.prices["p\(key)"] ?? 0
          }
        }
        tick(40, each: 26) { till.prices["p\($0 % 30)"] = 100 + $0 }
      },
      healthy: { session in
        let till = Till()
        for key in 0..<30 { till.prices["p\(key)"] = key }
        session.attach(till, as: "till")
        session.projection("PriceList", tracking: .property) { () -> Int in
          work(25)
          return till.prices.reduce(0) { $0 + $1.value }
        }
        tick(40, each: 26) { till.prices["p\($0 % 30)"] = 100 + $0 }
      }),
    Case(
      "seats-plan", "every seat reads the plan of all seats", .lint(.wholeCollection, "SeatView"),
      bad: { session in
        let seats = Seats()
        session.attach(seats, as: "seats")
        for seat in 0..<40 {
          session.projection("SeatView#\(seat)", tracking: .property) { () -> Bool in
            work(25)
            return seats.taken[seat]
          }
        }
        tick(30) { seats.taken[$0] = true }
      },
      fixed: { session in
        let seats = Seats()
        session.attach(seats, as: "seats")
        for seat in 0..<40 {
          let isTaken = session.derived("isTaken#\(seat)") { seats.taken[seat] }
          session.projection("SeatView#\(seat)") { () -> Bool in
            work(25)
            return isTaken.value
          }
        }
        tick(30) { seats.taken[$0] = true }
      },
      healthy: { session in
        let seats = Seats()
        session.attach(seats, as: "seats")
        session.projection("Free") { () -> Int in
          work(25)
          return seats.taken.count { !$0 }
        }
        tick(30) { seats.taken[$0] = true }
      }),
  ]
}
