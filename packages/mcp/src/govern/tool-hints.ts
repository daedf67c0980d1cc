/**
 * What a server says about its tools. It goes into the action, because a person must approve a destructive call if no
 * policy says otherwise. A server can lie, so a hint never allows anything.
 */
import type { Response } from '../messages/read-message.ts';
import { fieldsOf } from './open-call.ts';

const MOST_TOOLS = 10_000;

/** The name of each hint in the protocol, and its name in an action. */
const HINTS = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const;

export type Hints = { [Name in (typeof HINTS)[keyof typeof HINTS]]?: boolean };

export class ToolHints {
  readonly #hints = new Map<string, Hints>();

  /** Reads a page of `tools/list`. */
  note({ result }: Pick<Response, 'result'>): void {
    const { tools } = fieldsOf(result?.value);
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      const { name, annotations } = fieldsOf(tool);
      if (typeof name !== 'string' || this.#hints.size >= MOST_TOOLS) continue;
      this.#hints.set(name, hintsOf(annotations));
    }
  }

  /** The tools of the server have changed. */
  forget(): void {
    this.#hints.clear();
  }

  /** Null: nothing is known. */
  of(name: unknown): Hints | null {
    const hints = typeof name === 'string' ? this.#hints.get(name) : undefined;
    return hints === undefined || Object.keys(hints).length === 0 ? null : hints;
  }
}

function hintsOf(annotations: unknown): Hints {
  const stated = fieldsOf(annotations);
  const hints: Hints = Object.fromEntries(
    Object.entries(HINTS).flatMap(([hint, name]) => {
      const value = stated[hint];
      return typeof value === 'boolean' ? [[name, value]] : [];
    }),
  );
  return hints;
}
