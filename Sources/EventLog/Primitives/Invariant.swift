/// Ends the process if what must hold does not; `ARCHITECTURE.md` says what that is, and where it is checked.
///
/// Only builds with `REPLAY_CHECKS` check, as the test builds of this package do. In all others, as in every app, this is
/// nothing. It is for what no input and no call of an app can break: a fault in a log or in a call is an error. Assertions would
/// not do, since what records is optimised in debug builds too.
@inlinable @inline(__always)
package func invariant(
  _ holds: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  #if REPLAY_CHECKS
    if !holds() { fatalError("what must hold does not: \(sentence())", file: file, line: line) }
  #endif
}
