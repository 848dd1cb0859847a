import Projection

/// A recorded class that classes of other modules inherit from.
@Recorded open class Instrument {
  /// How many strings it has.
  public var strings = 4
  /// The notes that they are tuned to.
  open var tuning = "EADG"

  /// Makes one of four strings.
  public init() {}
}
