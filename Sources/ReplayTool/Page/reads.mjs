// What views read, and what is written near that.

/**
 * What the views of a group have read: for each kind of paths how often it was written, how often that was of the same value, and how
 * often it made them run directly, which `causes` has. `hidden` is how many more kinds there are.
 */
export function readsOf(group, report, causes) {
  const { paths, hidden } = report.reads.find(({ projection }) => projection === group) ?? { paths: [], hidden: 0 };
  const written = new Map(report.hot.paths.map((line) => [line.path, line]));
  const runsOf = (path) => [...causes.values()].filter(({ kind, name }) => ["set", "splice", "remove"].includes(kind) && name === path).reduce((sum, { runs }) => sum + runs, 0);
  const lines = paths.map((path) => ({ path, sets: written.get(path)?.sets ?? 0, same: written.get(path)?.same_value ?? 0, runs: runsOf(path) }));
  return { lines: lines.sort((a, b) => b.runs - a.runs || b.sets - a.sets), hidden };
}

// What holds a path: that without its last step.
const holderOf = (path) => path.replace(/(\.[^.[\]]+|\[[^[\]]*\])$/, "");
// The outermost list that a path leads into.
const listOfPath = (path) => (path.includes("[*]") ? path.slice(0, path.indexOf("[*]") + 3) : null);

/**
 * What is written and not read, but near that: first another property of what holds something that is read, then what is in a list of
 * which something is read. `written` are the lines of paths of a report.
 */
export function nearOf(reads, written) {
  const isRead = (path) => reads.some((read) => read === path || path.startsWith(`${read}.`) || path.startsWith(`${read}[`) || read.startsWith(`${path}.`) || read.startsWith(`${path}[`));
  const [holders, lists] = [new Set(reads.map(holderOf)), new Set(reads.map(listOfPath).filter(Boolean))];
  const rank = (path) => (holders.has(holderOf(path)) ? 0 : lists.has(listOfPath(path)) ? 1 : 2);
  return written.filter(({ path }) => !isRead(path) && rank(path) < 2).sort((a, b) => rank(a.path) - rank(b.path) || b.sets - a.sets);
}
