/** The input of an agent's step. A voter of a council is such a step too. */
import type { Json } from '@mandate/schemas';
import type { CallEvent } from './call-event.ts';

export type AgentStep = {
  /**
   * The action of the step, `<run>:<step>:<visit>`. It is the parent of all calls of the step. Their ids begin with it:
   * `…:m1` is the first call of the model, `…:t1` the first call of a tool. An id has at most 200 characters.
   */
  actionId: string;
  /** The agent that makes the calls: `M.<key>`. */
  agentId: string;
  prompt: AgentPrompt;
  skills: readonly StepSkill[];
  /** Which skills the model gets at once. */
  contextStrategy: ContextStrategy;
  /** The tools that the agent may call. A step that names a model has no tools. */
  tools: readonly StepTool[];
  model: StepModel;
  /** The inputs of the step. The model reads them as JSON. */
  inputs: Json;
  /** The required form of the model's answer. Null: any text. */
  outputs: DeclaredOutputs | null;
  /**
   * False: the model is never sent its own earlier turns. Each turn has one message, with the inputs and the results of
   * all tools so far.
   */
  historySupport: boolean;
  /**
   * The events of calls of this agent and visit that are on the log, in their order, over all attempts of the step. So
   * a further attempt continues where the last attempt ended, and repeats no completed call.
   */
  history: readonly CallEvent[];
};

/** `systemPrompt` replaces the other fields. */
type AgentPrompt = {
  role: string;
  goal: string;
  backstory?: string | undefined;
  systemPrompt?: string | undefined;
};

export type ContextStrategy = 'full' | 'compressed' | 'hybrid';

export type StepSkill = {
  name: string;
  description: string;
  triggerIntent?: string | undefined;
  /** The whole text, even if the manifest names a file. */
  instructions: string;
  loadStrategy: 'eager' | 'lazy' | 'user';
  /** True for a skill of `temporary_skills`: its instructions are always sent. */
  isTemporary: boolean;
};

/** A tool of an agent. `name` is its name in Mandate. */
export type StepTool =
  | {
      kind: 'server';
      name: string;
      /** The id of the tool's definition. Null for a remote tool, which has none. */
      id: string | null;
      uri: string;
      /** The risk level that the manifest states. Null: none. */
      risk: 'safe' | 'standard' | 'critical' | null;
      /** The hash of the tool that its server must list, as 64 hex digits. Null: any. */
      hash: string | null;
    }
  | {
      kind: 'inline';
      name: string;
      description: string;
      parameters: JsonSchema;
      /** The SHA-256 that the file of its implementation must have, as hex digits. Null: any. */
      hash: string | null;
    };

export type JsonSchema = { readonly [keyword: string]: Json };

export type StepModel = {
  name: string;
  /** The provider that the manifest states (`resources.provider`). Null: the price list names it. */
  provider: string | null;
  /**
   * Computes the cost of a call by the price of the manifest, in micro-dollars. Null: the manifest has no price. Before
   * the call, the function is called with an upper limit of each number, and after the call with the real numbers.
   */
  estimate: ((call: { inputTokens: number; maxOutputTokens: number; seconds: number }) => number) | null;
  throttle: {
    tokensPerMinute?: number | undefined;
    contextWindow?: number | undefined;
    maxOutputTokens?: number | undefined;
  };
};

/** `faultOf` returns the fault of an answer, as a phrase for the model. Null: there is none. */
export type DeclaredOutputs = { schema: JsonSchema; faultOf(value: Json): string | null };
