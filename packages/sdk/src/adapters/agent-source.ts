/** What an adapter needs of an instance. An adapter never asks for the class, because a copy of the SDK may exist twice. */
import type { AgentOptions } from '../mandate.ts';
import type { Agent } from '../types.ts';

/** An instance of `Mandate`, or a view of one, such as `mandate.with({ runId })`. */
export type AgentSource = { agent(options?: AgentOptions): Agent };
