import Dispatch
import Synchronization

/// The mail server: what other devices of the person and other people do to the inbox, on another thread.
actor MailServer {
  private var random: SplitMix
  private var ids: MailIDs
  private let thread = MailThread()

  init(random: SplitMix, ids: MailIDs) {
    self.random = random
    self.ids = ids
  }

  /// Takes the inbox of the app, and returns the present one: some messages are new, and some were removed, read,
  /// corrected or moved.
  func exchange(_ inbox: [MessageSnapshot], minute: Int) -> [MessageSnapshot] {
    var inbox = inbox
    for _ in 0..<2 where inbox.count > 1 {
      inbox[random.below(inbox.count)].isRead.toggle()
      inbox.remove(at: random.below(inbox.count))
    }
    if inbox.count > 1 {
      inbox[random.below(inbox.count)].subject += " (corrected)"
      inbox.swapAt(0, random.below(inbox.count))
    }
    let new = (0..<random.below(5)).map { _ in
      var message = MessageSnapshot.madeUp(minute: minute, &random, &ids)
      message.isRead = false
      return message
    }
    return new + inbox
  }

  /// Asks the server, and waits for the answer, so that the answer comes at the same point in every run.
  nonisolated func answer(to inbox: [MessageSnapshot], minute: Int) -> [MessageSnapshot] {
    let answer = MailAnswer()
    Task(executorPreference: thread) { answer.give(await self.exchange(inbox, minute: minute)) }
    return answer.wait()
  }
}

/// Hands the server's answer to the thread that waits for it.
private final class MailAnswer: Sendable {
  private let snapshots = Mutex<[MessageSnapshot]>([])
  private let isGiven = DispatchSemaphore(value: 0)

  func give(_ answer: [MessageSnapshot]) {
    snapshots.withLock { $0 = answer }
    isGiven.signal()
  }

  func wait() -> [MessageSnapshot] {
    isGiven.wait()
    return snapshots.withLock { $0 }
  }
}

/// A thread for the server, because the threads that Swift's tasks share may all be waiting for an answer.
private final class MailThread: TaskExecutor {
  private let queue = DispatchQueue(label: "mail server")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
