import type { GovernanceDocument } from '@mandate/schemas';
import {
  GOVERNANCE_EVENTS,
  lengthConditionHolds,
  readDuration,
  readLengthCondition,
} from '@mandate/schemas/core';
import { endlessRoom } from '../arguments/pattern-size.ts';
import type { StepBudget } from '../step-budget.ts';
import { compileCategories } from './categories/categories.ts';
import type { Governance, IntentsInForce, ReadPolicy, ReadRule, TurnLimits } from './governance.ts';
import { compileIntents } from './intents/classify.ts';
import type { IntentsDocument } from './intents/intents-document.ts';
import { compileSaves } from './saves/decide-saves.ts';
import type { SaveRuleFields, SavesDocument } from './saves/save-rules-document.ts';
import { textPattern } from './text/text-pattern.ts';

const READ_RULES: readonly ReadRule[] = ['select_store', 'set_query_params', 'bypass_user_filter'];

/**
 * Compiles the section `governance` of a policy. The patterns are compiled when they are first needed: this may throw
 * PatternRefused then, so `compileNow` finds such a pattern before the policy is published.
 *
 * @param room the total size that the patterns may have; their sizes are subtracted
 */
export function compileGovernance(
  document: GovernanceDocument,
  room: StepBudget = endlessRoom(),
): Governance {
  const { guardrails = {}, memory_policies = {}, categories } = document;
  return {
    roles: document.roles ?? null,
    intents: intentsOf(document, room),
    specialists: (document.specialists ?? []).map(({ id, handles_intents }) => ({
      id,
      intents: new Set(handles_intents),
    })),
    tools: new Map(
      Object.entries(document.tools ?? {}).map(([tool, { intents = null, defaults = {} }]) => [
        tool,
        { intents, defaults },
      ]),
    ),
    read: memory_policies.read === undefined ? null : readPolicyOf(memory_policies),
    saves: savesOf(document, room),
    input: {
      maxLength: guardrails.input?.max_length ?? null,
      patterns: once(() =>
        (guardrails.input?.blocked_patterns ?? []).map((pattern) => textPattern(pattern, room)),
      ),
    },
    output: {
      maxLength: guardrails.output?.max_length ?? null,
      filters: guardrails.output?.blocked_content ?? [],
    },
    turn: turnLimitsOf(guardrails.agent),
    events: document.audit?.log_events ?? GOVERNANCE_EVENTS,
    categories: categories === undefined ? null : once(() => compileCategories(categories)),
    specialist:
      document.specialist === undefined
        ? null
        : {
            intents: document.specialist.handles_intents,
            read: new Set(document.specialist.memory_access.read),
            write: new Set(document.specialist.memory_access.write),
          },
  };
}

/** Compiles the parts that are otherwise compiled when they are first needed. Throws PatternRefused. */
export function compileNow({ intents, saves, input }: Governance): void {
  intents?.compiled();
  saves?.();
  input.patterns();
}

function intentsOf(
  { intents, entity_types = {} }: GovernanceDocument,
  room: StepBudget,
): IntentsInForce | null {
  if (intents === undefined) return null;
  return {
    ids: intents.map(({ id }) => id),
    fallback: intents.find(({ triggers }) => triggers.fallback)?.id ?? '',
    compiled: once(() => compileIntents({ intents, entity_types } as IntentsDocument, room)),
  };
}

/** Under the principle, a model chooses nothing, whatever the list says. */
function readPolicyOf({
  core_principle,
  read,
}: NonNullable<GovernanceDocument['memory_policies']>): ReadPolicy {
  return {
    isolation: read?.user_isolation ?? true,
    mapping: new Map(Object.entries(read?.intent_mapping ?? {})),
    maxResults: new Map(Object.entries(read?.max_results ?? {})),
    cannot: new Set(core_principle === undefined ? (read?.llm_cannot ?? READ_RULES) : READ_RULES),
  };
}

function savesOf({ memory_policies }: GovernanceDocument, room: StepBudget): Governance['saves'] {
  const { core_principle, read, write } = memory_policies ?? {};
  if (write === undefined) return null;
  const document: SavesDocument = {
    triggers: write.triggers ?? {},
    save_rules: Object.fromEntries(
      Object.entries(write.save_rules ?? {}).map(([name, rule]) => [name, parsedRule(rule)]),
    ),
    ...(core_principle === undefined && { llm_cannot: write.llm_cannot }),
    user_isolation: read?.user_isolation ?? true,
  };
  return once(() => compileSaves(document, room));
}

type SaveRule = NonNullable<
  NonNullable<NonNullable<GovernanceDocument['memory_policies']>['write']>['save_rules']
>[string];

/** The durations and conditions of a document are valid, because its schema has read them. */
function parsedRule({ ttl, condition, patterns, action, store, priority }: SaveRule): SaveRuleFields {
  return {
    action,
    ...(patterns !== undefined && { patterns }),
    ...(condition !== undefined && { condition: conditionOf(condition) }),
    ...(store !== undefined && { store }),
    ...(ttl !== undefined && { ttlMs: msOf(ttl) }),
    ...(priority !== undefined && { priority }),
  };
}

function conditionOf(text: string): NonNullable<SaveRuleFields['condition']> {
  const read = readLengthCondition(text);
  if (!read.ok) throw new TypeError(`the condition "${text}" ${read.message}`);
  return ({ messageLength, responseLength }) =>
    lengthConditionHolds(read.condition, { message_length: messageLength, response_length: responseLength });
}

function msOf(duration: string): number {
  const read = readDuration(duration);
  if (!read.ok) throw new TypeError(`the duration "${duration}" ${read.message}`);
  return read.ms;
}

function turnLimitsOf(agent: NonNullable<GovernanceDocument['guardrails']>['agent']): TurnLimits | null {
  const { max_tool_calls_per_turn: tools, max_iterations: models, timeout_seconds: seconds } = agent ?? {};
  if (tools === undefined && models === undefined && seconds === undefined) return null;
  return {
    maxToolCalls: tools ?? null,
    maxModelCalls: models ?? null,
    timeoutMs: seconds === undefined ? null : seconds * 1_000,
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
