import Projection
import Testing

@Recorded final class Smoke<T> {
  var rows: [Int] = []
  var isLoading = false
  let id: Int
  @RecordedIgnored var scratch = 1
  @Redacted var token = ""
  weak var other: Smoke?
  private(set) public var t: T
  var total: Int { rows.count }
  var clamped = 0 { didSet { if clamped > 10 { clamped = 10; return } } }
  var seen: [Int] = []
  var log = 1 {
    willSet { seen.append(newValue + log) }
    didSet(was) { seen.append(was) }
  }
  #if DEBUG
    var debug = 1
  #else
    var debug = ""
  #endif
  init(id: Int, t: T) { self.id = id; self.t = t; self.clamped = 3 }
}
@MainActor @Recorded public class Base { var x = 1; let f = NotSendable() }
final class NotSendable { var q = 1 }
@MainActor @Recorded public final class Derived: Base { var y = [2]; deinit {} }
protocol Named {}
@Recorded open class Plain: Named { public var y: Double = .nan; func f() {}; public init() {} }
@Recorded open class Plain2: Plain { public var z: Int?; public override init() { super.init() } }
final class Collect: RecordedPropertyReader { var all: [Any] = []; func read<M>(_ v: M) { all.append(v) } }
final class Put: RecordedPropertyWriter {
  let v: Any; init(_ v: Any) { self.v = v }; func write<M>(_ s: inout M) { if let v = v as? M { s = v } }
}
func dump(_ o: some RecordedObject) -> String {
  let c = Collect()
  let names = type(of: o)._$properties.enumerated().filter { o._$read(property: $0.offset, into: c) }.map(
    \.element.name)
  return "\(type(of: o)._$propertyCount) \(names) \(c.all)"
}
@Test @MainActor func smoke() {
  let s = Smoke(id: 3, t: "x")
  s.clamped = 40
  s.log = 5
  s.rows.append(3)
  s.clamped += 1
  print(dump(s), s.clamped, s.seen, s.other as Any)
  let d = Derived()
  d.y.append(5); d.x = 8
  print(d._$write(property: 2, from: Put([5, 5])))
  print(dump(d))
  let p = Plain2()
  print(dump(p), dump(Plain()))
  nonisolated(unsafe) var fired = 0
  withObservationTracking {
    _ = p.z; _ = p.y
  } onChange: {
    fired += 1
  }
  p.y = .nan
  p.z = nil
  print(fired)
  p.z = 1
  print(fired)
}
