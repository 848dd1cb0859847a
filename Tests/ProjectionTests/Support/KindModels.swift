import EventLog
import Foundation
import Projection

enum Phase: Equatable { case idle, loading, done }

enum Urgency: String { case low, high = "HIGH" }

enum Outcome: Equatable {
  case waiting
  case running(progress: Double)
  case failed(code: Int, reason: String)
  case named(String)

  var value: Value {
    switch self {
    case .waiting: "waiting"
    case .running(let progress): .map(["running": .map(["progress": .double(progress)])])
    case .failed(let code, let reason):
      .map(["failed": .map(["code": .int(Int64(code)), "reason": .string(reason)])])
    case .named(let name): .map(["named": .string(name)])
    }
  }
}

enum Figure: Equatable, Codable {
  case flat
  case circle(radius: Int)

  var value: Value {
    switch self {
    case .flat: .map(["flat": .map([:])])
    case .circle(let radius): .map(["circle": .map(["radius": .int(Int64(radius))])])
    }
  }
}

struct Flags: OptionSet, Equatable { let rawValue: Int }

struct Human: Equatable {
  var name = "Ada"
  var age = 36
  var nick: String?
  var phase = Phase.idle
  var born = Date(timeIntervalSinceReferenceDate: 0)
  var marks: [Int] = [1]

  var value: Value {
    var fields: NamedValues<Value> = ["name": .string(name), "age": integer(age), "nick": string(nick)]
    fields["phase"] = .string("\(phase)")
    fields["born"] = .date(born.timeIntervalSinceReferenceDate)
    fields["marks"] = .array(marks.map { integer($0) })
    return .map(fields)
  }
}

struct Deposit: Equatable {
  var owner = Human()
  var balance = 0.5

  var value: Value { .map(["owner": owner.value, "balance": .double(balance)]) }
}

struct Sheet: Equatable, Codable {
  var name = "Ada"
  var age = 36
  var mail: String?

  var value: Value {
    var fields: NamedValues<Value> = ["name": .string(name), "age": .int(Int64(age))]
    if let mail { fields["mail"] = .string(mail) }
    return .map(fields)
  }
}

/// Not `Equatable`: each set of it is a change.
struct Loose { var first = 1, second = "s" }

struct Meter {
  var step = 0
  var noise = 0
}

/// A property of each kind of value that real models have.
@Recorded final class Kinds {
  var number = 0
  var small: Int8 = 0
  var big: UInt64 = 0
  var ratio = 0.0
  var optional: Int?
  var text = "text"
  var note: String?
  var created = Date(timeIntervalSinceReferenceDate: 0)
  var due: Date?
  var key = Kinds.key(0)
  var link = Kinds.link(0)
  var price: Decimal = 0
  var bytes = Data()
  var phase = Phase.idle
  var nextPhase: Phase?
  var urgency = Urgency.low
  var flags = Flags(rawValue: 0)
  var outcome = Outcome.waiting
  var lastOutcome: Outcome?
  var figure = Figure.flat
  var person = Human()
  var guest: Human?
  var deposit = Deposit()
  var sheet = Sheet()
  var loose = Loose()
  @Compared(by: \Meter.step) var meter = Meter()
  var tags = ["a", "b", "c"]
  var chosen: Set<Int> = [1, 2, 3]
  var scores = ["a": 1]
  var child = KindChild()
  @Redacted var secret: Int?

  static func key(_ number: Int) -> UUID {
    let byte = UInt8(truncatingIfNeeded: number)
    return UUID(uuid: (byte, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, byte))
  }

  static func link(_ number: Int) -> URL {
    let long = number % 5 == 0 ? String(repeating: "long/", count: 20) : ""
    return URL(fileURLWithPath: "/\(long)page\(number)")
  }

  /// The expected log of each property except the child's, written by hand.
  var values: [String: Value] {
    var values: [String: Value] = [:]
    values["number"] = integer(number)
    values["small"] = integer(small)
    values["big"] = integer(big)
    values["ratio"] = .double(ratio)
    values["optional"] = integer(optional)
    values["text"] = .string(text)
    values["note"] = string(note)
    values["created"] = .date(created.timeIntervalSinceReferenceDate)
    values["due"] = due.map { Value.date($0.timeIntervalSinceReferenceDate) } ?? Value.null
    values["key"] = .string(key.uuidString)
    values["link"] = .string(link.absoluteString)
    values["price"] = .string(price.description)
    values["bytes"] = .bytes(Array(bytes))
    values["phase"] = .string("\(phase)")
    values["nextPhase"] = string(nextPhase.map { "\($0)" })
    values["urgency"] = .string(urgency.rawValue)
    values["flags"] = integer(flags.rawValue)
    values["outcome"] = outcome.value
    values["lastOutcome"] = lastOutcome?.value ?? Value.null
    values["figure"] = figure.value
    values["person"] = person.value
    values["guest"] = guest?.value ?? Value.null
    values["deposit"] = deposit.value
    values["sheet"] = sheet.value
    values["loose"] = .map(["first": integer(loose.first), "second": .string(loose.second)])
    values["meter"] = .map(["step": integer(meter.step), "noise": integer(meter.noise)])
    values["tags"] = .array(tags.map { Value.string($0) })
    values["chosen"] = .array(chosen.sorted().map { integer($0) })
    var entries: NamedValues<Value> = [:]
    for (key, score) in scores { entries[key] = integer(score) }
    values["scores"] = .map(entries)
    values["secret"] = .redacted
    return values
  }
}

private func integer(_ number: (some BinaryInteger)?) -> Value {
  guard let number else { return .null }
  return Int64(exactly: number).map { Value.int($0) } ?? Value.uint(UInt64(number))
}

private func string(_ text: String?) -> Value { text.map { Value.string($0) } ?? Value.null }

@Recorded final class KindChild { var number = 0 }
