/** Counts the calls of tools that the answer of a model asks for, by the name of the tool. */
import { CAPS, nameFault, OTHER_TOOLS } from '@mandate/schemas/core';
import type { ToolCalls } from '../types.ts';

export type AskedTools = {
  /**
   * Counts a call.
   *
   * @param place where the call is in the answer. A stream may name the same call several times, which count once
   * @param name without a name, nothing is counted: a later event of the stream may have the name
   */
  saw(place: string, name: unknown): void;
  /** Returns the counts. Empty if the answer asks for no tool. */
  counts(): ToolCalls;
};

export function askedTools(): AskedTools {
  const places = new Set<string>();
  const calls = new Map<string, number>();
  return {
    saw(place, name) {
      if (typeof name !== 'string' || name === '' || places.has(place)) return;
      if (places.size >= CAPS.toolCallsPerAnswer) return;
      places.add(place);
      const isKnown = calls.has(name);
      const hasRoom = calls.size < CAPS.toolsPerAnswer - 1;
      const counted = isKnown || (hasRoom && isName(name)) ? name : OTHER_TOOLS;
      calls.set(counted, (calls.get(counted) ?? 0) + 1);
    },
    counts: () => [...calls].map(([tool, number]) => ({ tool, calls: number })),
  };
}

/** A model may write any text as the name of a tool. */
function isName(text: string): boolean {
  return text.length <= CAPS.idUnits && nameFault(text) === null;
}
