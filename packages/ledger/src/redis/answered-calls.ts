/**
 * Knows which call of step.lua answered which delivery. It uses the identity of the objects that the caller passed.
 * Deciders confirm the deliveries of a step together, so the number of the call confirms all of them. With positions,
 * Redis would read every delivery again. A delivery of an unknown call, for example after a restart, is confirmed by
 * its position.
 */
import type { LogPosition } from '@mandate/schemas';

/** `forgetAtMs`: the time when the first of its deliveries is forgotten. */
type Call = { epoch: string; call: number; forgetAtMs: number };

export type AnsweredCalls = {
  /** Stores which deliveries the call answered, in order. */
  note(call: Call, sources: readonly LogPosition[]): void;
  /**
   * @returns `calls`: the calls whose deliveries are all published, as number and time for confirm.lua. `rest`:
   * all other deliveries
   */
  whole(
    epoch: string,
    published: readonly { source: LogPosition }[],
  ): { calls: number[]; rest: LogPosition[] };
};

export function createAnsweredCalls(): AnsweredCalls {
  // The call of each delivery. A delivery may be sent again after it was forgotten. Then it belongs to the later
  // call.
  const callOf = new WeakMap<LogPosition, Call & { sources: readonly LogPosition[] }>();
  return {
    note(call, sources) {
      const noted = { ...call, sources };
      for (const source of sources) callOf.set(source, noted);
    },
    whole(epoch, published) {
      const calls: number[] = [];
      const rest: LogPosition[] = [];
      for (let at = 0; at < published.length; ) {
        const { source } = published[at] as { source: LogPosition };
        const known = callOf.get(source);
        const isNext = (its: LogPosition, i: number) =>
          published[at + i]?.source === its && callOf.get(its) === known;
        if (known?.epoch === epoch && known.sources.every(isNext)) {
          calls.push(known.call, known.forgetAtMs);
          at += known.sources.length;
        } else {
          rest.push(source);
          at += 1;
        }
      }
      return { calls, rest };
    },
  };
}
