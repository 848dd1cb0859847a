import Foundation
import Projection
import SideBySide

/// Closes a session, and compares its recorded invalidations with those that the former invalidation core and
/// the present one derive from its log.
///
/// `REPLAY_SIDE_BY_SIDE=0` leaves the comparison out.
func closeAndCheck(_ session: Session, _ log: URL) throws {
  try session.close()
  if ProcessInfo.processInfo.environment["REPLAY_SIDE_BY_SIDE"] == "0" { return }
  try SideBySide.check(log: log.path)
}
