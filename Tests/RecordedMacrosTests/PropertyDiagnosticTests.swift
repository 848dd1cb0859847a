import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Diagnostics of lazy and wrapped properties, and their fix-it.
@Suite struct PropertyDiagnostics {
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
        """#)
  }
}
