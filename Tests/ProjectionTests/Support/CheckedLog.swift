import Foundation
import LogGenerator
import Projection

/// Closes a session, and compares its recorded invalidations with those that the core derives from its log.
func closeAndCheck(_ session: Session, _ log: URL) throws {
  try session.close()
  try RecordedInvalidations.check(log: log.path)
}
