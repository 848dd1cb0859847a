import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Declarations that the macros refuse, and the advice that they give.
@Suite struct Diagnostics {
  @Test func aStructIsOfferedToBecomeAClass() {
    expect(
      .all,
      #"""
      @Recorded struct Store {
        var count = 1
      }
      """#,
      expandsTo: #"""
        struct Store {
          var count = 1
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' needs a class: a log follows objects, and a struct has no identity",
          line: 1, column: 1, severity: .error,
          fixIts: [FixItSpec(message: "make it a final class")])
      ],
      applying: "make it a final class",
      to: #"""
        @Recorded final class Store {
          var count = 1
        }
        """#)
  }

  @Test func anActorIsOfferedToBecomeAClassOnTheMainActor() {
    expect(
      .all,
      #"""
      @Recorded public actor A {
        var count = 1
      }
      """#,
      expandsTo: #"""
        public actor A {
          var count = 1
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' needs a class: an actor's properties cannot be read in step with the log; "
            + "use a class isolated to the actor",
          line: 1, column: 1, severity: .error,
          fixIts: [FixItSpec(message: "make it a final class on the main actor")])
      ],
      applying: "make it a final class on the main actor",
      to: #"""
        @Recorded @MainActor public final class A {
          var count = 1
        }
        """#)
  }

  @Test func anEnumIsRefused() {
    expect(
      .all,
      #"""
      @Recorded @frozen enum E {
      }
      """#,
      expandsTo: #"""
        @frozen enum E {
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' needs a class: a log follows objects, and an enum has no identity",
          line: 1, column: 1, severity: .error, fixIts: [FixItSpec(message: "remove '@Recorded'")])
      ],
      applying: "remove '@Recorded'",
      to: #"""
        @frozen enum E {
        }
        """#)
  }

  @Test func observableBesideRecordedIsOneError() {
    let source = #"""
      @Observable @Recorded final class Store {
        var count = 1
        lazy var total = 2
      }
      """#
    expectMembers(
      source, contain: "let _$recorded = _Replay.RecordedRegistrar()",
      diagnostics: [
        DiagnosticSpec(
          message:
            "'@Recorded' takes the place of '@Observable': both together would track each property twice",
          line: 1, column: 1, severity: .error, fixIts: [FixItSpec(message: "remove '@Observable'")])
      ],
      applying: "remove '@Observable'",
      to: #"""
        @Recorded final class Store {
          var count = 1
          lazy var total = 2
        }
        """#)
  }

  @Test func aStoredStaticPropertyIsRemarkedOnAndLeftAlone() {
    expectMembers(
      #"""
      @Recorded class Store {
        /// One for all.
        private static var count = 1
      }
      """#,
      contain: "private static var count = 1\n",
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' does not record the static property 'count': a log follows objects; "
            + "make it a property of the object, or mark it '@RecordedIgnored'",
          line: 3, column: 3, severity: .remark,
          fixIts: [FixItSpec(message: "remove 'static'"), FixItSpec(message: "mark it '@RecordedIgnored'")])
      ],
      applying: "remove 'static'",
      to: #"""
        @Recorded class Store {
          /// One for all.
          private var count = 1
        }
        """#)
  }

  @Test func aStaticConstantOrComputedOrIgnoredPropertyIsNot() {
    expectMembers(
      #"""
      @Recorded class Store {
        static let shared = 1
        static var computed: Int { 1 }
        class var other: Int { 1 }
        @RecordedIgnored static var ignored = 1
        @ObservationIgnored static var alsoIgnored = 1
      }
      """#,
      contain: "static let shared = 1\n")
  }
}
