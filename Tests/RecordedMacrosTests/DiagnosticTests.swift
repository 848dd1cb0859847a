import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// What the macros refuse, with what to do about it.
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

  @Test func aLazyPropertyIsRefused() {
    expect(
      .all,
      #"""
      @Recorded class Store {
        /// Slow.
        lazy var index = makeIndex()
      }
      """#,
      expandsTo: #"""
        class Store {
          /// Slow.
          lazy var index = makeIndex()

          nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            0
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated Projection.RecordedObject {
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' cannot track the lazy property 'index': reading it would write it; "
            + "give it a value at once, or mark it '@RecordedIgnored'",
          line: 3, column: 3, severity: .error,
          fixIts: [FixItSpec(message: "remove 'lazy'"), FixItSpec(message: "mark it '@RecordedIgnored'")])
      ],
      applying: "mark it '@RecordedIgnored'",
      to: #"""
        @Recorded class Store {
          /// Slow.
          @RecordedIgnored lazy var index = makeIndex()
        }
        """#)
  }

  @Test func aWrappedPropertyIsRefused() {
    expect(
      .all,
      #"""
      @Recorded class Store {
        @Published var count = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          @Published var count = 1

          nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            0
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated Projection.RecordedObject {
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' cannot track 'count' behind '@Published'; "
            + "remove the wrapper, or mark the property '@RecordedIgnored'",
          line: 2, column: 3, severity: .error,
          fixIts: [
            FixItSpec(message: "remove '@Published'"), FixItSpec(message: "mark it '@RecordedIgnored'"),
          ])
      ],
      applying: "remove '@Published'",
      to: #"""
        @Recorded class Store {
          var count = 1
        }
        """#)
  }

  @Test func severalBindingsAreOfferedToBeSplit() {
    expect(
      .all,
      #"""
      @Recorded class Store {
        private var a, b: Int, c = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          private var a, b: Int, c = 1

          nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            0
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated Projection.RecordedObject {
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' tracks one property in each declaration; split this one",
          line: 2, column: 3, severity: .error,
          fixIts: [FixItSpec(message: "split the declaration")])
      ],
      applying: "split the declaration",
      to: #"""
        @Recorded class Store {
          private var a: Int; private var b: Int; private var c = 1
        }
        """#)
  }

  @Test func aTupleOfVariablesIsRefused() {
    expect(
      .all,
      #"""
      @Recorded class Store {
        var (a, b) = (1, 2)
      }
      """#,
      expandsTo: #"""
        class Store {
          var (a, b) = (1, 2)

          nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            0
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated Projection.RecordedObject {
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' cannot track properties declared by a tuple pattern; "
            + "declare each by its name",
          line: 2, column: 3, severity: .error)
      ])
  }

  @Test func redactedOnWhatIsNotLoggedIsWarnedOf() {
    expect(
      .all,
      #"""
      class Store {
        @Redacted var computed: Int { 1 }
        @Redacted static var shared = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          var computed: Int { 1 }
          static var shared = 1
        }
        """#,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Redacted' has no effect on a computed property: "
            + "the log holds stored properties only",
          line: 2, column: 3, severity: .warning,
          fixIts: [FixItSpec(message: "remove '@Redacted'")]),
        DiagnosticSpec(
          message: "'@Redacted' has no effect on a static property: "
            + "the log holds stored properties only",
          line: 3, column: 3, severity: .warning,
          fixIts: [FixItSpec(message: "remove '@Redacted'")]),
      ])
  }

  @Test func ignoringMakesALazyOrWrappedPropertyWelcome() {
    expect(
      .all,
      #"""
      @Recorded class Store {
        @RecordedIgnored lazy var index = makeIndex()
        @RecordedIgnored @Published var count = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          lazy var index = makeIndex()
          @Published var count = 1

          nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            0
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            default:
              return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated Projection.RecordedObject {
        }
        """#)
  }

  @Test func aStoredStaticPropertyIsWarnedOfAndLeftAlone() {
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
          line: 3, column: 3, severity: .warning,
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

  @Test func anUnknownAttributeIsTakenForAGlobalActorAloud() {
    expectMembers(
      #"""
      @Recorded class Store {
        @Images var count = 1
        @MainActor var title = ""
        @DatabaseActor let name = ""
      }
      """#,
      contain: """
        case 0:
              @Images func stored() {
                reader.read(_count)
              }
              _$recorded._$call(stored)
              return true
        """,
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' takes '@Images' for a global actor; if it is a property wrapper, "
            + "remove it, or mark the property '@RecordedIgnored'",
          line: 2, column: 3, severity: .remark,
          fixIts: [
            FixItSpec(message: "remove '@Images'"), FixItSpec(message: "mark it '@RecordedIgnored'"),
          ])
      ],
      applying: "mark it '@RecordedIgnored'",
      to: #"""
        @Recorded class Store {
          @RecordedIgnored @Images var count = 1
          @MainActor var title = ""
          @DatabaseActor let name = ""
        }
        """#)
  }

  @Test func anUnknownAttributeWithArgumentsIsTakenForAWrapper() {
    expectMembers(
      #"""
      @Recorded class Store {
        @UserDefault("count") var count = 1
      }
      """#,
      contain: "@UserDefault(\"count\") var count = 1\n",
      diagnostics: [
        DiagnosticSpec(
          message: "'@Recorded' cannot track 'count' behind '@UserDefault'; "
            + "remove the wrapper, or mark the property '@RecordedIgnored'",
          line: 2, column: 3, severity: .error,
          fixIts: [
            FixItSpec(message: "remove '@UserDefault'"), FixItSpec(message: "mark it '@RecordedIgnored'"),
          ])
      ],
      applying: "mark it '@RecordedIgnored'",
      to: #"""
        @Recorded class Store {
          @RecordedIgnored @UserDefault("count") var count = 1
        }
        """#)
  }

  @Test func whatTheStandardLibraryIgnoresIsIgnored() {
    expectMembers(
      #"""
      @Recorded class Store {
        @ObservationIgnored var cache = 1
        @ObservationIgnored lazy var index = makeIndex()
        @ObservationIgnored @Published var shown = 1
      }
      """#,
      contain: "_$propertyCount: Int {\n    0\n  }")
  }
}
