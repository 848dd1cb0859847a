import Testing

@testable import Projection

@Suite struct EncodingSameness {
  final class Plain {}
  final class Equal: Equatable {
    var value: Int
    init(_ value: Int) { self.value = value }
    static func == (a: Equal, b: Equal) -> Bool { a.value == b.value }
  }
  /// A class that is never equal, not even to itself.
  final class Unequal: Equatable {
    static func == (a: Unequal, b: Unequal) -> Bool { false }
  }
  struct NotEquatable { var x = 1 }
  protocol Something {}
  struct Thing: Something, Equatable { var x: Int }

  /// Compares values like a generic class, which knows nothing of their type.
  private func generic<T>(_ a: T, _ b: T) -> Bool? { isSame(a, b) }

  @Test func valuesAreComparedByEqualityKnownOrNot() {
    #expect(isSame(1, 1))
    #expect(!isSame("a", "b"))
    #expect(generic(1, 1) == true)
    #expect(generic([1, 2], [1, 2]) == true)
    #expect(generic([1, 2], [2, 1]) == false)
    #expect(generic(Thing(x: 1) as any Something, Thing(x: 1)) == true)
    #expect(generic(1 as Any, "1") == false)
  }

  @Test func nanIsNanAndZeroHasNoSign() {
    #expect(isSame(Double.nan, .nan))
    #expect(isSame(Float.nan, .nan))
    #expect(isSame(Double?.some(.nan), .nan))
    #expect(isSame(0.0, -0.0))
    #expect(!isSame(Double.nan, 1))
    #expect(!isSame(1, Double.nan))
    #expect(generic(Double.nan, .nan) == true)
    #expect(generic(Double?.some(.nan), .nan) == true)
  }

  @Test func referencesAreComparedByIdentity() {
    let (a, b) = (Plain(), Plain())
    #expect(isSame(a, a) == true)
    #expect(isSame(a, b) == false)
    #expect(isSame(Plain?.some(a), a) == true)
    #expect(isSame(Plain?.some(a), b) == false)
    #expect(isSame(Plain?.some(a), nil) == false)
    #expect(isSame(Plain?.none, nil) == true)
  }

  @Test func equatableReferencesMustAgreeInBoth() {
    let (a, b) = (Equal(1), Equal(1))
    #expect(isSame(a, a))
    #expect(!isSame(a, b))
    #expect(isSame(Equal?.some(a), a))
    #expect(!isSame(Equal?.some(a), b))
    #expect(!isSame(Equal??.some(a), b))
    #expect(generic(a, b) == false)
    #expect(generic(Equal?.some(a), b) == false)
    #expect(generic(a as AnyObject, b) == false)
    let odd = Unequal()
    #expect(!isSame(odd, odd))
    #expect(generic(odd, odd) == false)
  }

  @Test func valuesThatCannotBeComparedAreNeverTheSame() {
    #expect(isSame(NotEquatable(), NotEquatable()) == nil)
    #expect(isSame(NotEquatable?.none, nil) == true)
    #expect(isSame(NotEquatable?.some(NotEquatable()), nil) == false)
    #expect(generic([NotEquatable()], [NotEquatable()]) == nil)
    #expect(isSame({ 1 }, { 1 }) == nil)
    #expect(isSame((1, 2), (1, 2)) == nil)
  }

  @Test func erasedHashableValuesAreLookedInto() {
    #expect(isSame(AnyHashable(1), AnyHashable(1)))
    #expect(!isSame(AnyHashable(1), AnyHashable("1")))
  }
}
