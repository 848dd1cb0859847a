import Testing

/// The complete code that `@Recorded` adds to a class.
@Suite struct ClassExpansion {
  @Test func aClassGetsARegistrarATableAndItsConformance() {
    expect(
      .members,
      #"""
      @Recorded final class Store {
        let id: Int
        var isLoading = false
        @Redacted var token = ""
        @RecordedIgnored var scratch = 0
      }
      """#,
      expandsTo: #"""
        final class Store {
          let id: Int
          @RecordedProperty(1)
          var isLoading = false
          @Redacted
          @RecordedProperty(2) var token = ""
          @RecordedIgnored var scratch = 0

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int { 3 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            [
              _Replay.RecordedPropertyDescriptor("id", isConstant: true),
              _Replay.RecordedPropertyDescriptor("isLoading"),
              _Replay.RecordedPropertyDescriptor("token", isRedacted: true),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property {
            case 0:
              reader.read(self.id)
              return true
            case 1:
              reader.read(_isLoading)
              return true
            case 2:
              reader.read(_token)
              return true
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
            case 1:
              writer.write(&_isLoading)
              return true
            case 2:
              writer.write(&_token)
              return true
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

  @Test func aPublicGenericClassHasPublicWitnesses() {
    expect(
      .members,
      #"""
      @available(macOS 15, *)
      @MainActor @Recorded public class Box<Element> {
        public private(set) var element: Element
      }
      """#,
      expandsTo: #"""
        @available(macOS 15, *)
        @MainActor public class Box<Element> {
          @RecordedProperty(0)
          public private(set) var element: Element

          public nonisolated let _$recorded = _Replay.RecordedRegistrar()

          public nonisolated class var _$propertyCount: Int { 1 }

          public nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            [
              _Replay.RecordedPropertyDescriptor("element"),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property {
            case 0:
              reader.read(_element)
              return true
            default: return false
            }
          }

          public nonisolated func _$read(
            property: Int, into reader: any _Replay.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any _Replay.RecordedPropertyWriter) -> Bool {
            switch property {
            case 0:
              writer.write(&_element)
              return true
            default: return false
            }
          }

          public nonisolated func _$write(
            property: Int, from writer: any _Replay.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        @available(macOS 15, *) extension Box: nonisolated _Replay.RecordedObject {}
        """#)
  }

  @Test func aRedactedPropertySaysWhetherItsHashMayBeLogged() {
    expectMembers(
      #"""
      @Recorded class Vault {
        @Redacted var token = ""
        @Redacted(.hashed) let id: String
      }
      """#,
      contain: """
              _Replay.RecordedPropertyDescriptor("token", isRedacted: true),
              _Replay.RecordedPropertyDescriptor("id", isConstant: true, isRedacted: true, isHashed: true),
        """)
  }

  @Test func anOpenClassCanBeRecordedFurtherInAnotherModule() {
    expectMembers(
      #"""
      @Recorded open class Base {
        public var count = 0
      }
      """#,
      contain: "open nonisolated class var _$propertyCount: Int {")
  }
}
