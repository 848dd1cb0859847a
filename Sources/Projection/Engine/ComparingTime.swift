import EventLog

/// How long comparing takes in a run: the inputs that it hands to children with those before, and its output with the last.
///
/// A log has it with the run, since own time that goes into comparing is no time of the body: a type without `==` is compared
/// by reflection, which takes many times as long. Reading the clock twice takes some 20 ns, so values that are mostly compared
/// in less than a microsecond are left out: numbers, structs of numbers, texts and objects.
enum ComparingTime {
  /// Whether comparing values of a type that has `==` may take long.
  static func mayBeLong<T>(of type: T.Type) -> Bool {
    !_isPOD(type) && type != String.self && !(type is AnyClass)
  }
}

extension Frame {
  /// Compares values within this run, and counts the time.
  @inline(__always)
  func timingComparison<R>(_ compare: () -> R) -> R {
    let began = TickClock.now()
    defer { comparingTime &+= TickClock.now().since(began) }
    return compare()
  }
}

extension Engine {
  /// Whether an input is the same as the last one, as ``ChildInput/isSame(as:)``. The time counts to the run that hands it in.
  func compare(_ input: ChildInput, with last: ChildInput?, within frame: Frame?) -> Bool? {
    guard input.mayTakeLong, let frame, frame.engine === self else { return input.isSame(as: last) }
    frame.comparingTime &+= input.encodingTime
    return frame.timingComparison { input.isSame(as: last) }
  }
}

extension UInt64 {
  /// The nanoseconds from an earlier reading of the clock to this one; 0 if it went back.
  func since(_ earlier: UInt64) -> UInt64 { self > earlier ? self - earlier : 0 }
}
