import Testing

/// The expansion of a class with a superclass: its numbers continue those of a recorded superclass.
@Suite struct SubclassExpansion {
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

          private nonisolated static var _$first: Int { super._$propertyCount }

          override nonisolated class var _$propertyCount: Int { super._$propertyCount + 1 }

          override nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            super._$properties + [
              _Replay.RecordedPropertyDescriptor("name"),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property - Self._$first {
            case 0:
              reader.read(_name)
              return true
            default: return false
            }
          }

          override nonisolated func _$read(
            property: Int, into reader: any _Replay.RecordedPropertyReader
          ) -> Bool {
            if property < Self._$first {
              return super._$read(property: property, into: reader)
            }
            return _$recorded._$read(_$readStored, property: property, into: reader)
          }

          private func _$writeStored(property: Int, from writer: any _Replay.RecordedPropertyWriter) -> Bool {
            switch property - Self._$first {
            case 0:
              writer.write(&_name)
              return true
            default: return false
            }
          }

          override nonisolated func _$write(
            property: Int, from writer: any _Replay.RecordedPropertyWriter
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

          nonisolated let _$recorded = _Replay.RecordedRegistrar()

          private nonisolated static var _$first: Int { 0 }

          nonisolated class var _$propertyCount: Int { 1 }

          nonisolated class var _$properties: [_Replay.RecordedPropertyDescriptor] {
            [
              _Replay.RecordedPropertyDescriptor("name"),
            ]
          }

          private func _$readStored(property: Int, into reader: any _Replay.RecordedPropertyReader) -> Bool {
            switch property - Self._$first {
            case 0:
              reader.read(_name)
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
            switch property - Self._$first {
            case 0:
              writer.write(&_name)
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

        extension Derived: nonisolated _Replay.RecordedObject {}
        """#)
  }
}
