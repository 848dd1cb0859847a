// The kinds of events by their codes.

export const kinds = [
  "set", "splice", "remove", "projection", "reads", "invalidate", "evaluate", "dispose", "begin", "end", "mark",
  "action", "finish",
];
export const invalidateKind = 5;
export const evaluateKind = 6;
export const beginKind = 8;
export const endKind = 9;
export const markKind = 10;
export const actionKind = 11;

/** Whether an event of a kind writes to a path. */
export const isWriteKind = (kind) => kind <= 2;
