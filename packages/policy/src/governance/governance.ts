/**
 * The compiled section `governance` of a policy, as the checks read it. Parts with patterns are compiled when they
 * are first needed, because a process may know many policies and decide under few of them.
 */
import type { GovernanceDocument, GovernanceEvent } from '@mandate/schemas';
import type { Categories } from './categories/categories.ts';
import type { CompiledIntents } from './intents/classify.ts';
import type { DecideSaves } from './saves/decide-saves.ts';
import type { TextPattern } from './text/text-pattern.ts';

type MemoryPolicies = NonNullable<GovernanceDocument['memory_policies']>;
export type ReadRule = NonNullable<MemoryPolicies['read']>['llm_cannot'][number];
type BlockedContent = NonNullable<
  NonNullable<GovernanceDocument['guardrails']>['output']
>['blocked_content'][number];

export type Governance = {
  /** The roles that people may have. Null: roles are not asked. */
  roles: readonly string[] | null;
  intents: IntentsInForce | null;
  /** The specialists in the order of the manifest. */
  specialists: readonly Specialist[];
  /** The tools in the order of the manifest. */
  tools: ReadonlyMap<string, GovernedTool>;
  /** What may be read from memory. Null: this policy gives no memory to read. */
  read: ReadPolicy | null;
  /** What is saved. Null: this policy saves nothing. */
  saves: (() => DecideSaves) | null;
  input: { maxLength: number | null; patterns: () => readonly TextPattern[] };
  output: { maxLength: number | null; filters: readonly BlockedContent[] };
  /** The limits of a turn. Null: a call needs no turn. */
  turn: TurnLimits | null;
  /** The events that are marked on decisions. */
  events: readonly GovernanceEvent[];
  /** What may be done with memories, by store and category. Null: this policy says nothing about it. */
  categories: (() => Categories) | null;
  /** What a specialist may do. Null: this is no policy of a specialist. */
  specialist: OwnLimits | null;
};

export type IntentsInForce = {
  ids: readonly string[];
  /** The intent of all texts that show no other intent. */
  fallback: string;
  compiled: () => CompiledIntents;
};

type Specialist = { id: string; intents: ReadonlySet<string> };

type GovernedTool = {
  /** The intents that give the tool. Null: every intent. */
  intents: readonly string[] | null;
  defaults: GovernedDefaults;
};
export type GovernedDefaults = NonNullable<NonNullable<GovernanceDocument['tools']>[string]['defaults']>;

export type ReadPolicy = {
  isolation: boolean;
  /** The stores of an intent, in order. An intent without an entry has those of the fallback. */
  mapping: ReadonlyMap<string, readonly string[]>;
  maxResults: ReadonlyMap<string, number>;
  /** What a model must not choose. */
  cannot: ReadonlySet<ReadRule>;
};

export type TurnLimits = {
  maxToolCalls: number | null;
  maxModelCalls: number | null;
  timeoutMs: number | null;
};

type OwnLimits = {
  intents: readonly string[];
  read: ReadonlySet<string>;
  write: ReadonlySet<string>;
};
