/** Chooses the reply for each request. */
import type { ModelReply, ModelScript, ReceivedRequest } from './reply.ts';

/** A reply to give, or the error that comes before it. */
export type Next = { reply: ModelReply; failure: { status: number; retryAfterMs?: number } | null };

export class ScriptedReplies {
  readonly #script: ModelScript;
  #at = 0;
  readonly #failed = new Map<ModelReply, number>();

  constructor(script: ModelScript) {
    this.#script = script;
  }

  async next(request: ReceivedRequest): Promise<Next> {
    const reply = await this.#reply(request);
    const { failures } = reply;
    const failed = this.#failed.get(reply) ?? 0;
    if (failures !== undefined && failed < (failures.times ?? Number.POSITIVE_INFINITY)) {
      this.#failed.set(reply, failed + 1);
      return { reply, failure: failures };
    }
    this.#at += 1;
    return { reply, failure: null };
  }

  #reply(request: ReceivedRequest): ModelReply | Promise<ModelReply> {
    const script = this.#script;
    if (typeof script === 'function') return script(request);
    if (!isList(script)) return script;
    const reply = script[Math.min(this.#at, script.length - 1)];
    if (reply === undefined) throw new Error('the script of the model server has no reply');
    return reply;
  }
}

function isList(script: ModelScript): script is readonly ModelReply[] {
  return Array.isArray(script);
}
