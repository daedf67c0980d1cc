/**
 * Knows which call of step.lua answered which delivery, by the very objects that the caller passed. Deciders confirm
 * the deliveries of a step in the same order, so a whole call is confirmed by its number. By position Redis would
 * read every delivery again. A delivery of an unknown call, for example after a restart, is confirmed by its
 * position.
 */
import type { LogPosition } from '@mandate/schemas';

/** `forgetAtMs`: the earliest time at which one of its deliveries is forgotten. */
type Call = { epoch: string; call: number; forgetAtMs: number };

export type AnsweredCalls = {
  /** Notes all deliveries that the call answered, in order. */
  note(call: Call, sources: readonly LogPosition[]): void;
  /**
   * @returns `calls`: the calls that are published as a whole, as number and time, as confirm.lua takes them. `rest`:
   * all other deliveries
   */
  whole(
    epoch: string,
    published: readonly { source: LogPosition }[],
  ): { calls: number[]; rest: LogPosition[] };
};

export function createAnsweredCalls(): AnsweredCalls {
  // The call of each delivery. A forgotten delivery may be sent again, and then belongs to another call.
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
