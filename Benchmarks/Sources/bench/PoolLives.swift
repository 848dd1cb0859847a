import Projection

@Recorded private final class CellPool {
  var cells: RecordedDictionary<Int, Cell> = [:]
}

/// Objects that come and go in a session.
final class PoolLives {
  private let session: Session
  private let pool = CellPool()
  private var readers: [Int: ProjectionHandle] = [:]
  /// How many are alive at a time.
  private let alive: Int

  init(in session: Session, alive: Int = 100) {
    self.session = session
    self.alive = alive
    session.attach(pool, as: "pool")
  }

  /// Puts in an object, which a projection reads, and sets it, which invalidates the projection; then cancels and removes
  /// the oldest. Numbers count up from 0.
  func live(_ number: Int) {
    pool.cells[number] = Cell()
    readers[number] = session.projection("Reader#\(number)") { [unowned self] _ in
      consume(pool.cells[number]?.value)
    }
    pool.cells[number]?.value = number + 1
    guard number >= alive else { return }
    readers.removeValue(forKey: number - alive)?.cancel()
    pool.cells[number - alive] = nil
  }
}
