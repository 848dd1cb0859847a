// The actions of a run, in rows in which none overlaps another.

// Actions that do not fit in so many rows are in the last.
const rowsMost = 4;

/** Reads `report.actions` whenever it was replaced, as a live page does. */
export function makeActions(report) {
  let read = null;
  let rows = [];
  let bySeq = new Map();
  const refresh = () => {
    if (read === report.actions) return;
    read = report.actions;
    bySeq = new Map((read ?? []).map((action) => [action.seq, action]));
    rows = [];
    const ends = [];
    for (const action of read ?? []) {
      let row = ends.findIndex((end) => end <= action.time_ns);
      if (row < 0) row = Math.min(ends.length, rowsMost - 1);
      (rows[row] ??= []).push(action);
      ends[row] = Math.max(ends[row] ?? 0, action.last_time_ns);
    }
  };
  return {
    rows() {
      refresh();
      return rows;
    },
    /** The action that begins with an event; undefined if none does. */
    at(seq) {
      refresh();
      return bySeq.get(seq);
    },
    /** The cascade of an action; null for other events. */
    cascadeOf(seq) {
      const action = this.at(seq);
      if (!action) return null;
      const root = `action ${JSON.stringify(action.label)}`;
      const lines = report.cascades.cascades;
      const isOf = (line, index) => line.root === root && !report.sights[index]?.roots && line.first_seq <= seq && seq <= line.last_seq;
      const exact = lines.findIndex((line, index) => line.root === root && (line.first_seq === seq || line.last_seq === seq || report.sights[index]?.worst_seq === seq));
      const cascade = exact >= 0 ? exact : lines.findIndex(isOf);
      return cascade < 0 ? null : cascade;
    },
  };
}
