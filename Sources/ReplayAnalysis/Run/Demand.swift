/// Whether anybody still waits for the result of the work on this thread.
///
/// Who runs a command for somebody who may leave sets it around that command; each log that is opened within takes it on.
package enum Demand {
  @TaskLocal package static var isWanted: @Sendable () -> Bool = { true }
}
