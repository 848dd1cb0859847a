// Reads why runs ran, as the command says it, from the chains, the rows and the states in a page.
import { writtenBy } from "./states.mjs";

// The numbers of a chain that is not known, and of the end of one; the nodes come after these.
const [unknown, end] = [0, 1];

/** The chains that a page has of the runs in `ranges`; `events` has the events in it, and `states` the states at these, or is null. */
export function openChains(ranges, data, events, states = null) {
  // A step with what stands in the row of its event.
  const filled = async (seq, shared, stepsFrom) => {
    const step = { ...shared };
    if (seq > 0) step.seq = seq;
    if (shared.transaction) step.transaction = shared.transaction[0] ?? null;
    if (shared.function || shared.thread) step.origin = { function: shared.function, thread: shared.thread };
    if (shared.because !== undefined) step.because = await stepsFrom(shared.because);
    if (seq === 0 || shared.time_ns !== undefined) return step;
    await events.loaded(seq);
    return withValues({ ...stepOf(events.at(seq), shared.kind), ...step }, states);
  };
  return {
    /** The chain of a run; null where the page has none. */
    async of(seq) {
      const range = (ranges ?? []).find(([first, end]) => seq >= first && seq < end);
      const file = range ? await data.columns("chains-" + range[0]) : null;
      const head = file?.columns.head[seq - file.header.first_seq] ?? unknown;
      if (head === unknown) return null;
      const { columns, header } = file;
      const stepsFrom = async (node) => {
        const steps = [];
        for (let next = node; next !== end; next = columns.next[next - end - 1]) {
          steps.push(await filled(columns.seq[next - end - 1], header.steps[columns.step[next - end - 1]], stepsFrom));
        }
        return steps;
      };
      await events.loaded(seq);
      const steps = [stepOf(events.at(seq), "evaluation"), ...(await stepsFrom(head))];
      const others = header.superseded.find((others) => others.seq === seq);
      if (others) {
        const lists = await Promise.all(others.nodes.map(stepsFrom));
        steps[1] = { ...steps[1], superseded: lists.map(([first, ...because]) => ({ ...first, because })), more_superseded: others.more };
      }
      return { projection: steps[0].projection, steps };
    },
  };
}

/** A write with the values that it put and replaced, where there are states that have them. */
export async function withValues(step, states) {
  if (step.kind !== "write" || !states) return step;
  const stretch = await states.around(step.seq).catch(() => null);
  if (!stretch) return step;
  const written = writtenBy(stretch, step.seq, step.event === "splice");
  if (written) return { ...step, ...written };
  const own = valueOf(step);
  return step.same_value && own !== undefined ? { ...step, old: own, new: own } : step;
}

// The value in the row of a write; undefined where there is none, or where it was too long for its row and so is no JSON.
function valueOf({ value }) {
  try {
    return value === undefined ? undefined : JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** The step of an event, with what its row has. */
export function stepOf(event, kind) {
  const step = { kind, seq: event.seq, time_ns: event.time };
  if (kind === "evaluation") return { ...step, projection: event.name, duration_ns: event.duration, changed: event.changed ?? undefined };
  if (kind === "write") return { ...step, event: event.kind, path: event.name, same_value: event.sameValue || undefined, value: event.value };
  return step;
}

/**
 * What led to an event, as steps: the causes that were recorded, and from the first run on the chain of that run, which `chainOf`
 * gives. `lack` is the run of which there is no chain, or the event that the page does not have; null if nothing is missing.
 */
export async function causesOf(seq, events, chainOf, states = null, most = 64) {
  const steps = [];
  for (let next = seq; next > 0; ) {
    if (steps.length === most) return { steps, lack: next };
    await events.loaded(next);
    const event = events.at(next);
    if (!event) return { steps, lack: next };
    if (event.kind === "evaluate") {
      const chain = await chainOf(next);
      return chain ? { steps: [...steps, ...chain.steps], lack: null } : { steps: [...steps, stepOf(event, "evaluation")], lack: next };
    }
    const isWrite = ["set", "splice", "remove"].includes(event.kind);
    steps.push(isWrite ? await withValues(stepOf(event, "write"), states) : { ...stepOf(event, "origin"), text: `${event.kind} ${event.name}`.trim() });
    next = event.cause < event.seq ? event.cause : 0;
  }
  return { steps, lack: null };
}
