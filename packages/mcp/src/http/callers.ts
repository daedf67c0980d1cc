/**
 * Finds the agent of a request. Many agents may use one proxy, each with its own key. Options of the operator apply to
 * all requests: a client cannot choose an agent with wider policies.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Asker, type Caller, callerOf } from '../govern/settings.ts';
import { keepRecent } from '../keep-recent.ts';
import { ProvenMap } from '../proven-map.ts';
import { mandateHeader } from './proxy-headers.ts';

/** The instance of the SDK for one key. */
export type OpenAsker = Asker & { close(): Promise<void> };

export type Fixed = {
  agentId: string | undefined;
  principalId: string | undefined;
  runId: string | undefined;
};

type Found = { ok: true; caller: Caller } | { ok: false; why: string; remedy: string };

/** The maximum number of keys and agents that are kept open. The one with the oldest use is closed first. */
const MOST_OPEN = 1_000;

export class Callers {
  readonly #fixed: Fixed;
  readonly #own: OpenAsker | null;
  readonly #open: ((key: string) => OpenAsker) | null;
  /** The instances by the digests of their keys. A key is proven after the plane has answered one of its questions. */
  readonly #askers = new ProvenMap<OpenAsker>(MOST_OPEN, (dropped) => {
    this.#callers.clear();
    void dropped.close().catch(() => {});
  });
  readonly #callers = new Map<string, Caller>();

  /**
   * @param own the instance with the key of the proxy. Null: each request needs a key
   * @param open opens an instance for the key of a request. Null: requests cannot have keys
   */
  constructor(fixed: Fixed, own: OpenAsker | null, open: ((key: string) => OpenAsker) | null) {
    this.#fixed = fixed;
    this.#own = own;
    this.#open = open;
  }

  find(headers: IncomingHttpHeaders): Found {
    const { agentId: agent, principalId: principal, runId: run } = this.#fixed;
    const [agentId, principalId, runId] = [
      agreed('agent', agent, headers),
      agreed('principal', principal, headers),
      agreed('run', run, headers),
    ];
    for (const one of [agentId, principalId, runId]) if (one instanceof Error) return refused(one.message);
    if (typeof agentId !== 'string')
      return {
        ok: false,
        why: 'It is not known which agent calls.',
        remedy: 'Send the header x-mandate-agent, or start the proxy with --agent.',
      };
    const key = mandateHeader(headers, 'key');
    const asker = key === undefined ? this.#own : this.#askerOf(key);
    if (asker === null)
      return {
        ok: false,
        why: key === undefined ? 'The request has no key.' : 'This proxy takes no keys.',
        remedy:
          key === undefined
            ? 'Send an API key of Mandate in the header x-mandate-key.'
            : 'Leave the header x-mandate-key out.',
      };
    const stated = {
      agentId,
      principalId: principalId as string | undefined,
      runId: runId as string | undefined,
    };
    const name = JSON.stringify([stated, key === undefined ? null : digestOf(key)]);
    const caller = this.#callers.get(name) ?? this.#callerOf(asker, { ...stated, key: name }, key);
    keepRecent(this.#callers, name, caller, MOST_OPEN);
    return { ok: true, caller };
  }

  async close(): Promise<void> {
    await Promise.all([this.#own, ...this.#askers.values()].map((asker) => asker?.close()));
  }

  #callerOf(asker: OpenAsker, stated: Parameters<typeof callerOf>[1], key: string | undefined): Caller {
    const caller = callerOf(asker, stated);
    if (key === undefined) return caller;
    const digest = digestOf(key);
    const proving = <Answer>(answer: Answer): Answer => {
      if (this.#askers.get(digest) === asker) this.#askers.prove(digest, asker);
      return answer;
    };
    return {
      ...caller,
      agent: { ...caller.agent, start: async (call) => proving(await caller.agent.start(call)) },
      permits: async (tools) => proving(await caller.permits(tools)),
    };
  }

  #askerOf(key: string): OpenAsker | null {
    if (this.#open === null) return null;
    const name = digestOf(key);
    const asker = this.#askers.get(name) ?? this.#open(key);
    this.#askers.keep(name, asker);
    return asker;
  }
}

function agreed(
  name: 'agent' | 'principal' | 'run',
  fixed: string | undefined,
  headers: IncomingHttpHeaders,
): string | undefined | Error {
  const stated = mandateHeader(headers, name);
  if (fixed !== undefined && stated !== undefined && stated !== fixed)
    return new Error(`The header x-mandate-${name} differs from what the proxy was started with.`);
  return fixed ?? stated;
}

function refused(why: string): Found {
  return { ok: false, why, remedy: 'Leave the header out.' };
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
