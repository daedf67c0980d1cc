/**
 * The part of an instance that an adapter needs. An adapter does not check the class, because a program may have two
 * copies of the SDK.
 */
import type { AgentOptions } from '../mandate.ts';
import type { Agent } from '../types.ts';

/** An instance of `Mandate`, or a view of one, such as `mandate.with({ runId })`. */
export type AgentSource = { agent(options?: AgentOptions): Agent };
