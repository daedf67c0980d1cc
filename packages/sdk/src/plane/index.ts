/**
 * @mandate/sdk/plane: the SDK for plane mode alone. It has the same interface as `@mandate/sdk`, and loads neither the
 * engine nor any module of Node. So it is small, and runs at the edge.
 *
 *     const mandate = new Mandate({ agentId: 'my-agent', planeUrl: 'http://127.0.0.1:7420', apiKey });
 */
import type { DecisionPoint } from '../decision-point.ts';
import { MandateInstance, type OpenOptions } from '../mandate.ts';
import { planePoint } from './plane-point.ts';

export {
  findMandateError,
  isMandateError,
  MandateBlockedError,
  MandateDeferredError,
} from '../errors.ts';
export type { AgentOptions, MandateOptions } from '../mandate.ts';
export type {
  Action,
  Agent,
  BlockCode,
  Call,
  CallOptions,
  Cost,
  Decision,
  Kill,
  LLMCall,
  RunningAction,
  RunningOutcome,
  RunOptions,
  TokenUsage,
  Tool,
  ToolCall,
  Tools,
} from '../types.ts';
export type { Executor } from '../wrapper.ts';

/** Puts the calls of agents under the mandates of a plane. */
export class Mandate extends MandateInstance {
  protected override openPoint(options: OpenOptions): DecisionPoint {
    return planePoint(options);
  }
}

/** The default instance. `mandate.configure()` sets its options. */
export const mandate = new Mandate();
