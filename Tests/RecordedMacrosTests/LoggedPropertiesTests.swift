import Testing

/// Which properties a class has in its table, in cases that are not obvious.
@Suite struct LoggedProperties {
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

        extension Empty: nonisolated _Replay.RecordedObject {}
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

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int { 4 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            [
              _Replay.RecordedPropertyDescriptor("count"),
              _Replay.RecordedPropertyDescriptor("count"),
              _Replay.RecordedPropertyDescriptor("other", isConstant: true),
              _Replay.RecordedPropertyDescriptor("last"),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
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

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          nonisolated class var _$propertyCount: Int { 3 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            [
              _Replay.RecordedPropertyDescriptor("a", isConstant: true),
              _Replay.RecordedPropertyDescriptor("b", isConstant: true),
              _Replay.RecordedPropertyDescriptor("c", isConstant: true),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
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
