import Testing

/// The complete expansion of `@RecordedProperty` on a stored property.
@Suite struct PropertyExpansion {
  @Test func aPropertyBecomesAccessorsOverAPrivateStore() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(3) public private(set) var count: Int = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          public private(set) var count: Int {
          @storageRestrictions(initializes: _count)
          init(initialValue) {
            _count = initialValue
          }
          get {
            _$recorded.access(self, keyPath: \.count, property: 3)
            return _count
          }
          set {
            let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.count, property: 3, from: _count, to: newValue)
            _count = newValue
            _$recorded.didSet(self, keyPath: \.count, property: 3, to: newValue, __macro_local_6changefMu_)
          }
          _modify {
            var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.count, property: 3, from: _count)
            _$recorded.beginEdits(of: &_count, &__macro_local_6changefMu_)
            defer {
              _$recorded.endEdits(of: &_count, &__macro_local_6changefMu_)
              _$recorded.didModify(self, keyPath: \.count, property: 3, to: _count, __macro_local_6changefMu_)
            }
            yield &_count
            __macro_local_6changefMu_.isComplete = true
          }
          }

          private var _count: Int = 1
        }
        """#)
  }

  @Test func aPropertyOfASubclassIsNumberedFromItsOwnFirst() {
    expect(
      .property,
      #"""
      class Store: Base {
        @RecordedProperty(own: 0) var count = 1
      }
      """#,
      expandsTo: #"""
        class Store: Base {
          var count {
          @storageRestrictions(initializes: _count)
          init(initialValue) {
            _count = initialValue
          }
          get {
            _$recorded.access(self, keyPath: \.count, property: Self._$first + 0)
            return _count
          }
          set {
            let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.count, property: Self._$first + 0, from: _count, to: newValue)
            _count = newValue
            _$recorded.didSet(self, keyPath: \.count, property: Self._$first + 0, to: newValue, __macro_local_6changefMu_)
          }
          _modify {
            var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.count, property: Self._$first + 0, from: _count)
            _$recorded.beginEdits(of: &_count, &__macro_local_6changefMu_)
            defer {
              _$recorded.endEdits(of: &_count, &__macro_local_6changefMu_)
              _$recorded.didModify(self, keyPath: \.count, property: Self._$first + 0, to: _count, __macro_local_6changefMu_)
            }
            yield &_count
            __macro_local_6changefMu_.isComplete = true
          }
          }

          private var _count = 1
        }
        """#)
  }

  @Test func weakAndOtherModifiersStayOnTheStore() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) @Redacted final public weak var owner: Owner?
      }
      """#,
      expandsTo: #"""
        class Store {
          @Redacted final public weak var owner: Owner? {
          @storageRestrictions(initializes: _owner)
          init(initialValue) {
            _owner = initialValue
          }
          get {
            _$recorded.access(self, keyPath: \.owner, property: 0)
            return _owner
          }
          set {
            let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.owner, property: 0, from: _owner, to: newValue)
            _owner = newValue
            _$recorded.didSet(self, keyPath: \.owner, property: 0, to: newValue, __macro_local_6changefMu_)
          }
          _modify {
            var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.owner, property: 0, from: _owner)
            _$recorded.beginEdits(of: &_owner, &__macro_local_6changefMu_)
            defer {
              _$recorded.endEdits(of: &_owner, &__macro_local_6changefMu_)
              _$recorded.didModify(self, keyPath: \.owner, property: 0, to: _owner, __macro_local_6changefMu_)
            }
            yield &_owner
            __macro_local_6changefMu_.isComplete = true
          }
          }

          private final weak var _owner: Owner?
        }
        """#)
  }

  @Test func aKeywordAsANameIsAccessedWithBackticks() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) var `default` = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          var `default` {
          @storageRestrictions(initializes: _default)
          init(initialValue) {
            _default = initialValue
          }
          get {
            _$recorded.access(self, keyPath: \.`default`, property: 0)
            return _default
          }
          set {
            let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.`default`, property: 0, from: _default, to: newValue)
            _default = newValue
            _$recorded.didSet(self, keyPath: \.`default`, property: 0, to: newValue, __macro_local_6changefMu_)
          }
          _modify {
            var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.`default`, property: 0, from: _default)
            _$recorded.beginEdits(of: &_default, &__macro_local_6changefMu_)
            defer {
              _$recorded.endEdits(of: &_default, &__macro_local_6changefMu_)
              _$recorded.didModify(self, keyPath: \.`default`, property: 0, to: _default, __macro_local_6changefMu_)
            }
            yield &_default
            __macro_local_6changefMu_.isComplete = true
          }
          }

          private var _default = 1
        }
        """#)
  }

  @Test func aComparedPropertyHandsItsComparisonToTheSetter() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) @Compared(by: \Shape.id) var shape = Shape()
      }
      """#,
      expandsTo: #"""
        class Store {
          @Compared(by: \Shape.id) var shape {
          @storageRestrictions(initializes: _shape)
          init(initialValue) {
            _shape = initialValue
          }
          get {
            _$recorded.access(self, keyPath: \.shape, property: 0)
            return _shape
          }
          set {
            let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.shape, property: 0, from: _shape, to: newValue, by: \Shape.id)
            _shape = newValue
            _$recorded.didSet(self, keyPath: \.shape, property: 0, to: newValue, __macro_local_6changefMu_)
          }
          }

          private var _shape = Shape()
        }
        """#)
  }
}
