import Testing

/// What `@Recorded` adds to a class, whole.
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

          @RecordedIgnored nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            3
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            [
              Projection.RecordedPropertyDescriptor("id", isConstant: true),
              Projection.RecordedPropertyDescriptor("isLoading"),
              Projection.RecordedPropertyDescriptor("token", isRedacted: true),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
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
            case 1:
              writer.write(&_isLoading)
              return true
            case 2:
              writer.write(&_token)
              return true
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

          @RecordedIgnored public nonisolated let _$recorded = Projection.RecordedRegistrar()

          public nonisolated class var _$propertyCount: Int {
            1
          }

          public nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            [
              Projection.RecordedPropertyDescriptor("element"),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            case 0:
              reader.read(_element)
              return true
            default:
              return false
            }
          }

          public nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property {
            case 0:
              writer.write(&_element)
              return true
            default:
              return false
            }
          }

          public nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }

        @available(macOS 15, *) extension Box: nonisolated Projection.RecordedObject {
        }
        """#)
  }

  @Test func aSubclassOfARecordedClassContinuesItsNumbers() {
    expect(
      .subclass,
      #"""
      @Recorded class Derived: Base {
        var name = ""
      }
      """#,
      expandsTo: #"""
        class Derived: Base {
          @RecordedProperty(own: 0)
          var name = ""

          private nonisolated static var _$first: Int {
            super._$propertyCount
          }

          override nonisolated class var _$propertyCount: Int {
            super._$propertyCount + 1
          }

          override nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            super._$properties + [
              Projection.RecordedPropertyDescriptor("name"),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property - Self._$first {
            case 0:
              reader.read(_name)
              return true
            default:
              return false
            }
          }

          override nonisolated func _$read(
            property: Int, into reader: any Projection.RecordedPropertyReader
          ) -> Bool {
            if property < Self._$first {
              return super._$read(property: property, into: reader)
            }
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any Projection.RecordedPropertyWriter) -> Bool {
            switch property - Self._$first {
            case 0:
              writer.write(&_name)
              return true
            default:
              return false
            }
          }

          override nonisolated func _$write(
            property: Int, from writer: any Projection.RecordedPropertyWriter
          ) -> Bool {
            if property < Self._$first {
              return super._$write(property: property, from: writer)
            }
            return _$recorded._$write(_$writeStored, property: property, from: writer)
          }
        }
        """#)
  }

  @Test func aClassWithAnotherSuperclassHasARegistrarOfItsOwn() {
    expect(
      .members,
      #"""
      @Recorded class Derived: Base {
        var name = ""
      }
      """#,
      expandsTo: #"""
        class Derived: Base {
          @RecordedProperty(own: 0)
          var name = ""

          @RecordedIgnored nonisolated let _$recorded = Projection.RecordedRegistrar()

          private nonisolated static var _$first: Int {
            0
          }

          nonisolated class var _$propertyCount: Int {
            1
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            [
              Projection.RecordedPropertyDescriptor("name"),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property - Self._$first {
            case 0:
              reader.read(_name)
              return true
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
            switch property - Self._$first {
            case 0:
              writer.write(&_name)
              return true
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

        extension Derived: nonisolated Projection.RecordedObject {
        }
        """#)
  }

  @Test func aClassWithNothingToLogConforms() {
    expect(
      .members,
      #"""
      @Recorded class Empty {
        static let shared = 1
        class var other: Int { 1 }
        var computed: Int { 1 }
        var both: Int {
          get { 1 }
          set {}
        }
      }
      """#,
      expandsTo: #"""
        class Empty {
          static let shared = 1
          class var other: Int { 1 }
          var computed: Int { 1 }
          var both: Int {
            get { 1 }
            set {}
          }

          @RecordedIgnored nonisolated let _$recorded = Projection.RecordedRegistrar()

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

        extension Empty: nonisolated Projection.RecordedObject {
        }
        """#)
  }

  @Test func propertiesInConditionsAreNumberedInEveryBuild() {
    expect(
      .members,
      #"""
      @Recorded class Store {
        #if DEBUG
        var count = 1
        #elseif os(Linux)
        var count = ""
        let other = 1
        #endif
        var last = 2
      }
      """#,
      expandsTo: #"""
        class Store {
          #if DEBUG
          var count = 1
          #elseif os(Linux)
          var count = ""
          let other = 1
          #endif
          @RecordedProperty(3)
          var last = 2

          @RecordedIgnored nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            4
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            [
              Projection.RecordedPropertyDescriptor("count"),
              Projection.RecordedPropertyDescriptor("count"),
              Projection.RecordedPropertyDescriptor("other", isConstant: true),
              Projection.RecordedPropertyDescriptor("last"),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            #if DEBUG
            case 0:
              reader.read(_count)
              return true
            #elseif os(Linux)
            case 1:
              reader.read(_count)
              return true
            case 2:
              reader.read(self.other)
              return true
            #endif
            case 3:
              reader.read(_last)
              return true
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
            #if DEBUG
            case 0:
              writer.write(&_count)
              return true
            #elseif os(Linux)
            case 1:
              writer.write(&_count)
              return true
            #endif
            case 3:
              writer.write(&_last)
              return true
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

  @Test func constantsOfATupleAreLoggedEach() {
    expect(
      .members,
      #"""
      @Recorded class Store {
        let (a, b) = (1, 2), c = 3
      }
      """#,
      expandsTo: #"""
        class Store {
          let (a, b) = (1, 2), c = 3

          @RecordedIgnored nonisolated let _$recorded = Projection.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int {
            3
          }

          nonisolated class var _$properties: [Projection.RecordedPropertyDescriptor] {
            [
              Projection.RecordedPropertyDescriptor("a", isConstant: true),
              Projection.RecordedPropertyDescriptor("b", isConstant: true),
              Projection.RecordedPropertyDescriptor("c", isConstant: true),
            ]
          }

          private func _$readStored(property: Int, into reader: any Projection.RecordedPropertyReader) -> Bool {
            switch property {
            case 0:
              reader.read(self.a)
              return true
            case 1:
              reader.read(self.b)
              return true
            case 2:
              reader.read(self.c)
              return true
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

  @Test func aRedactedPropertySaysWhetherItsHashMayBeLogged() {
    expectMembers(
      #"""
      @Recorded class Vault {
        @Redacted var token = ""
        @Redacted(.hashed) let id: String
      }
      """#,
      contain: """
              Projection.RecordedPropertyDescriptor("token", isRedacted: true),
              Projection.RecordedPropertyDescriptor("id", isConstant: true, isRedacted: true, isHashed: true),
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
