import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Diagnostics of declarations of several properties, and of redacted properties that are not logged.
@Suite struct BindingDiagnostics {
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

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int { 0 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property {
            default: return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any _Replay.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any _Replay.RecordedPropertyWriter) -> Bool {
            switch property {
            default: return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any _Replay.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated _Replay.RecordedObject {}
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

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int { 0 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            []
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property {
            default: return false
            }
          }

          nonisolated func _$read(
            property: Int, into reader: any _Replay.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any _Replay.RecordedPropertyWriter) -> Bool {
            switch property {
            default: return false
            }
          }

          nonisolated func _$write(
            property: Int, from writer: any _Replay.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        extension Store: nonisolated _Replay.RecordedObject {}
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
}
