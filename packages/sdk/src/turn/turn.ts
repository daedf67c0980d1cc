/**
 * A turn: what an agent does for one prompt of a person. Each call that is made through the turn states the turn and
 * the person, so that a policy can limit the call to the intent of the prompt and to the limits of a turn.
 */
import type { Decision, Json, MemoryRead, MemoryWrite, OriginViolation } from '@mandate/schemas';
import type { AgentSource } from '../adapters/agent-source.ts';
import { obliged, textIn } from '../carry-out.ts';
import type { AgentOptions } from '../mandate.ts';
import type { Scope } from '../scope.ts';
import type { Agent, CallOptions, MandateDocument } from '../types.ts';
import { filterTools } from './filter-tools.ts';
import {
  type MemoryFilter,
  READ_DUTIES,
  type Readable,
  type ReadableStore,
  readableIn,
} from './readable-stores.ts';
import { redactedText } from './redact.ts';
import { type Save, savesIn } from './saves.ts';

/** The part of an instance that a turn needs. An instance of `Mandate` and each of its views have it. */
export type TurnSource = AgentSource & {
  with(scope: Scope & { agentId?: string | undefined }): unknown;
  delegate(options: { agentId: string; mandate?: MandateDocument }): unknown;
};

/** The facts about the prompt in the decision. */
export type TurnFacts = {
  readonly intent: TurnIntent | null;
  readonly specialists: readonly string[];
  readonly tools: readonly string[] | null;
  readonly stores: readonly ReadableStore[];
  readonly filter: MemoryFilter | null;
};

/** What the person wants, as the policy classifies the prompt. */
export type TurnIntent = {
  readonly id: string;
  readonly by: 'keyword' | 'pattern' | 'fallback';
  /** The keyword or pattern that was found. Null for the fallback. */
  readonly trigger: string | null;
  /** The length of the evidence, in characters. */
  readonly length: number;
  /** The other intents with evidence, the longest first. */
  readonly others: readonly { readonly id: string; readonly length: number }[];
  readonly entities: Readonly<Record<string, Json>>;
  /** The required entities that the prompt does not state. */
  readonly missing: readonly string[];
  /** The entities with a number that is too low or too high. */
  readonly invalid: readonly { readonly name: string; readonly value: Json; readonly why: string }[];
};

/** The options of a call that a turn makes itself. The turn states the principal and the turn. */
type TurnCallOptions = Omit<CallOptions, 'principal' | 'turnId' | 'carriesOut'>;

/**
 * The request for a read. `origins` says who chose a field: `system` for a choice of the program, `user` for a choice
 * that a person made by hand. A choice without an origin counts as a choice of the model.
 */
export type ReadRequest = TurnCallOptions &
  Pick<MemoryRead, 'stores' | 'limits' | 'filter' | 'query' | 'origins'>;

/** The data that the turn may read now: the stores in their order, with their limits, and a filter by person. */
export type TurnRead = Readable & { readonly query: string | null; readonly decision: Decision };

export type SaveRequest = TurnCallOptions &
  Pick<MemoryWrite, 'hints' | 'origins'> & {
    /** What has happened. Default: `interaction_complete`. */
    event?: MemoryWrite['event'];
    /** The words of the person, and the answer of the agent. Default of `user`: the prompt. */
    text?: { user?: string; agent?: string };
  };

export type TurnSaves = {
  /** What to save, perhaps nothing. */
  readonly saves: readonly Save[];
  /** The save rule that decided, or `hint`, `always` or `none`. */
  readonly decidedBy: string;
  /** The hints of the model that it had no right to give. They were ignored. */
  readonly violations: readonly OriginViolation[];
  readonly decision: Decision;
};

type Opened<M> = {
  mandate: M;
  prompt: string;
  principal: Scope['principal'];
  decision: Decision;
  facts: TurnFacts;
};

export class Turn<M extends TurnSource = TurnSource> implements TurnFacts {
  /** The id of the turn, which is the id of the action of its prompt. */
  readonly id: string;
  /**
   * A view of the instance. Each call that is made through the view states the turn and the person: calls of `wrap`,
   * `fn`, `tools`, `createExecutor`, and of the adapters.
   */
  readonly mandate: M;
  readonly prompt: string;
  readonly principal: Scope['principal'];
  /** The decision about the prompt. */
  readonly decision: Decision;
  /** Null if the policies of the agent have no intents. */
  readonly intent: TurnIntent | null;
  /** The entities of the intent, by name. */
  readonly entities: Readonly<Record<string, Json>>;
  /** The specialists that handle the intent, in the order of the manifest. */
  readonly specialists: readonly string[];
  /** The tools that the model may see. Null: the policies do not limit them by intent. */
  readonly tools: readonly string[] | null;
  /** The stores that may be read in this turn. Each read is decided again. */
  readonly stores: readonly ReadableStore[];
  /** The filter of reads. Null: the policy demands none. */
  readonly filter: MemoryFilter | null;
  readonly #opened: Opened<M>;

  constructor(opened: Opened<M>) {
    this.#opened = opened;
    const { mandate, prompt, principal, decision, facts } = opened;
    this.id = decision.actionId;
    this.mandate = mandate;
    this.prompt = prompt;
    this.principal = principal;
    this.decision = decision;
    this.intent = facts.intent;
    this.entities = facts.intent?.entities ?? {};
    this.specialists = facts.specialists;
    this.tools = facts.tools;
    this.stores = facts.stores;
    this.filter = facts.filter;
  }

  /** Returns the agent of this turn, so that each adapter accepts a turn in place of an instance. */
  agent(options?: AgentOptions): Agent {
    return this.mandate.agent(options);
  }

  /**
   * Returns the same turn for a sub-agent, such as a specialist of the manifest. See `delegate` of an instance.
   *
   * @throws MandateError MANDATES_INVALID, SDK_MISUSED
   */
  delegate(options: { agentId: string; mandate?: MandateDocument }): Turn<M> {
    return new Turn({ ...this.#opened, mandate: this.mandate.delegate(options) as M });
  }

  /**
   * Returns the definitions of tools that the model may see: a list in the form of any provider, or an object with the
   * tools by name. A definition without a name is left out.
   */
  filterTools<T extends readonly object[] | Readonly<Record<string, unknown>>>(definitions: T): T {
    return this.tools === null ? definitions : filterTools(definitions, this.tools);
  }

  /**
   * Requests a decision about what may be read from memory now. The program then reads these stores, with these limits
   * and this filter.
   *
   * @throws MandateBlockedError, MandateDeferredError
   */
  async read({ stores, limits, filter, query, origins, ...options }: ReadRequest = {}): Promise<TurnRead> {
    const call = { type: 'memory_read', stores, limits, filter, query, origins, options } as const;
    const { decision, duties } = await obliged(this.agent(), call, READ_DUTIES, readableIn);
    return { ...duties, query: query ?? null, decision };
  }

  /**
   * Requests a decision about what must be saved from the interaction. The policy decides by the words of the person.
   * The program then carries out the saves.
   *
   * @throws MandateBlockedError, MandateDeferredError
   */
  async save({ event, text, hints, origins, ...options }: SaveRequest = {}): Promise<TurnSaves> {
    const said = { user: this.prompt, ...text };
    const call = {
      type: 'memory_write',
      event: event ?? 'interaction_complete',
      text: said,
      hints,
      origins,
      options,
    } as const;
    const names = ['saves', 'decidedBy'];
    const { decision, duties } = await obliged(this.agent(), call, names, (obligations, action) => {
      const { decidedBy = 'none' } = obligations;
      return { saves: savesIn(obligations, action), decidedBy: String(decidedBy) };
    });
    return { ...duties, violations: decision.violations ?? [], decision };
  }

  /**
   * Returns the answer as the person may see it. Each redacted part is replaced by `[redacted:<type>]`.
   *
   * @throws MandateBlockedError, MandateDeferredError
   */
  async output(text: string, options: TurnCallOptions = {}): Promise<string> {
    const call = { type: 'output', text, options } as const;
    const { duties } = await obliged(this.agent(), call, ['redactions'], (obligations, _action, decision) => {
      // The plane may have redacted parts of the text before the decision, so the text in the decision is used.
      const { text: decided } = decision.action as { text?: Json };
      return redactedText(textIn(decided, 'redactions'), obligations);
    });
    return duties;
  }
}
