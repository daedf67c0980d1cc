/** What the scenes of all frameworks share. */
import type { ModelReply, ModelServer } from '@mandate/testing/model-server';
import type { Mandate } from '../../index.ts';

/** What one run of an agent gets. */
export type Given = {
  mandate: Mandate;
  server: ModelServer;
  /** The work of the tool `pay`. It counts how often it ran. */
  pay(to: string): string;
  /** Ends the run. */
  signal: AbortSignal;
  /** The model waits for this before it asks for `pay`. */
  beforePay(): Promise<void>;
};

/** One way of a framework to run a tool. Resolves or rejects when the run has ended. */
export type Way = (given: Given) => Promise<unknown>;

/** Continues a run that waits for a person, with another instance. */
type Resume = (given: Given) => Promise<unknown>;

/** A way of a framework to run a sub-agent, which pays as often as `times` says. */
type SubAgentWay = (given: Given, child: Child, times: number) => Promise<unknown>;

/** `view` is what `delegate` returned for the sub-agent. */
type Child = { agentId: string; view: Mandate };

export type Framework = {
  /** Every way to run the tool `pay` once. */
  ways: Readonly<Record<string, Way>>;
  /** Ways that tell Mandate of an abort only when the tool starts, so the wait for a decision goes on. */
  lateWays?: Readonly<Record<string, Way>>;
  /** Ways that never tell Mandate of an abort. Only the time limit of the mode ends the wait for a decision. */
  deafWays?: Readonly<Record<string, Way>>;
  /** Runs until a person must approve the call. Absent: the framework cannot stop and resume a run. */
  suspend?: (given: Given) => Promise<Resume>;
  subAgents: Readonly<Record<string, SubAgentWay>>;
};

/** Tokens that cost less than a cent, so that budgets in cents show the cost of tools only. */
const CHEAP = { inputTokens: 1, outputTokens: 1 };

export const DONE: ModelReply = { text: 'Done.' };

export function calling(name: string, args: object = {}, id?: string): ModelReply {
  return { toolCalls: [{ name, args, ...(id !== undefined && { id }) }] };
}

export const PAYING = calling('pay', { to: 'ann' }, 'call_pay');

/** Replies for a sub-agent that pays as often as `times` says. Each call has its own id. */
export function paying(times: number): ModelReply[] {
  return Array.from({ length: times }, (_, at) => calling('pay', { to: `payee-${at}` }, `call_pay_${at}`));
}

/** States the replies of the model. The last one repeats. */
export function script({ server, beforePay }: Given, ...replies: readonly ModelReply[]): void {
  let at = 0;
  server.script(async () => {
    const reply = replies[Math.min(at, replies.length - 1)] ?? DONE;
    at += 1;
    if (reply.toolCalls?.some(({ name }) => name === 'pay')) await beforePay();
    return { usage: CHEAP, ...reply };
  });
}
