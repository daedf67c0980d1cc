/**
 * Remembers calls that wait for a person. After the answer of the person, the client makes the same call again. Without
 * this memory, the second call would be another action, with another question.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';
import type { Caller } from './settings.ts';
import type { Subject } from './subjects.ts';

/** The maximum number of calls that are remembered. The oldest are forgotten first. */
const MOST_CALLS = 1_000;

export class DeferredCalls {
  /** The action ids of the calls with the same agent, tool and arguments. */
  readonly #waiting = new Map<string, string[]>();
  #count = 0;

  keep(caller: Caller, subject: Subject, actionId: string): void {
    const key = digestOf(caller, subject);
    const known = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    this.#waiting.set(key, [...known, actionId]);
    this.#count += 1;
    while (this.#count > MOST_CALLS) this.#forgetOldest();
  }

  /** Returns the action id of an equal call that waits. No other call gets this id until it is stored again. */
  take(caller: Caller, subject: Subject): string | null {
    const key = digestOf(caller, subject);
    const [first, ...others] = this.#waiting.get(key) ?? [];
    if (first === undefined) return null;
    this.#count -= 1;
    if (others.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, others);
    return first;
  }

  #forgetOldest(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    this.#waiting.delete(oldest[0]);
    this.#count -= oldest[1].length;
  }
}

/** Returns a digest of a call. The order of the keys in the arguments does not count. */
export function digestOf({ key }: Caller, { tool, args }: Subject): string {
  return createHash('sha256')
    .update(canonicalJson([key, tool, args]))
    .digest('base64url');
}
