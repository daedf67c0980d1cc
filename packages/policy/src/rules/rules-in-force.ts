/**
 * Which mandate an action is decided under, of all that rules give. Three things are remembered, each by all that it depends
 * on and nothing else: which rules can match an agent at all; what of those matches, by the fields that their conditions
 * look at; and what a set of policies composes to, which agents share. So the cost of a decision grows neither
 * with policies nor with rules.
 */
import type { Action, Json } from '@mandate/schemas';
import { compose, missingPolicy, type NamedPolicy, withBounds } from '../mandate/compose.ts';
import type { Mandate } from '../mandate/mandate.ts';
import { recentlyUsed } from '../recently-used.ts';
import { type CompiledCondition, type ConditionSubject, type FieldPath, fieldOf } from './condition.ts';
import type { Rule } from './rule.ts';

/** An agent as rules see it: `id`, and whatever it was registered with. */
export type AgentAttributes = { readonly id: string; readonly groups: readonly string[] } & {
  readonly [attribute: string]: Json | readonly string[] | undefined;
};

/** `agent`: whom above the one that asks it matches; absent: that one itself. */
type RuleMatch = { rule: string; policy: string; mode: Rule['mode']; agent?: string };

export type Resolved = {
  /** What is enforced, or observed; null where no rule matches, and so nothing is allowed. */
  mandate: Mandate | null;
  /** What rules in shadow would make of it; null where none matches. */
  shadow: InShadow | null;
  /** In the order of the rules. */
  matches: readonly RuleMatch[];
  /** Who stands above the agent, the nearest first; absent: nobody. */
  above?: readonly string[];
} & Spell;

/** The same rules match from then on, and until before then; null: for ever. What is in shadow has a spell of its own. */
type Spell = { holdsFromMs: number; holdsUntilMs: number | null };

export type InShadow = Spell & {
  /** With the policies of the rules in shadow that match. */
  mandate: Mandate;
  /** Those rules, and what they name. */
  rules: readonly string[];
  policies: readonly string[];
};

/** Of one state of rules and policies: where these change, another takes its place. */
export type RulesInForce = {
  /** @param agent the same object for as long as the agent is the same */
  resolve(agent: AgentAttributes, action: Action, atMs: number): Resolved;
};

/** The version that a rule means, the latest for null; null where there is none, or it was archived. */
export type PolicyLookup = (id: string, version: number | null) => NamedPolicy | null;

/** How much is remembered, of each twice that at most. */
export type Remembered = { agents: number; answers: number; mandates: number };

const OF_A_TENANT: Remembered = { agents: 10_000, answers: 20_000, mandates: 500 };
/** What conditions look at may be as long as an argument can be: then it is looked at anew each time. */
const LONGEST_KEY = 1_000;

/** The id of a mandate that nobody issued. */
export const COMPOSED = 'rules';

/**
 * @param bounds what each mandate is held to besides; alone it makes none
 * @param options.id of the mandates that they compose to
 */
export function rulesInForce(
  rules: readonly Rule[],
  policyOf: PolicyLookup,
  bounds: NamedPolicy | null = null,
  { id = COMPOSED, remembered = OF_A_TENANT }: { id?: string; remembered?: Remembered } = {},
): RulesInForce {
  const ordered = inOrder(rules);
  const ofAgents = recentlyUsed<Candidates>(remembered.agents);
  const answers = recentlyUsed<{ found: Resolved; spell: Spell }>(remembered.answers);
  const mandates = recentlyUsed<Mandate>(remembered.mandates);
  let made = 0;

  function candidatesOf(agent: AgentAttributes): Candidates {
    const known = ofAgents.get(agent.id);
    if (known?.agent === agent) return known;
    made += 1;
    const candidates = { ...candidatesAmong(ordered, agent), agent, number: made };
    ofAgents.set(agent.id, candidates);
    return candidates;
  }

  function resolve({ candidates }: Candidates, subject: ConditionSubject, atMs: number): Resolved {
    const matching = candidates.filter(
      ({ rule, open }) => isInForce(rule, atMs) && open.every(({ holds }) => holds(subject) === true),
    );
    const matches = matching.map(({ rule }) => {
      const { id, version } = rule.policy;
      const policy = policyOf(id, version) ?? missingPolicy(id, version === null ? id : `${id}@${version}`);
      return { rule, policy };
    });
    return {
      mandate: composed(matches.filter(isKept)),
      shadow: inShadow(matches, spell(candidates, atMs)),
      matches: matches.map(({ rule, policy }) => ({ rule: rule.id, policy: policy.name, mode: rule.mode })),
      ...spell(candidates.filter(isKept), atMs),
    };
  }

  function inShadow(matches: readonly Match[], spell: Spell): InShadow | null {
    const watching = matches.filter((one) => !isKept(one));
    const mandate = watching.length === 0 ? null : composed(matches);
    if (mandate === null) return null;
    const policies = new Set(watching.map(({ policy }) => policy.name));
    return { mandate, rules: watching.map(({ rule }) => rule.id), policies: [...policies], ...spell };
  }

  function composed(matches: readonly Match[]): Mandate | null {
    const policies = matches.map(({ rule, policy }) => ({
      ...policy,
      observe: !policy.isMissing && (policy.observe || rule.mode === 'observe'),
    }));
    const names = matches.map(({ rule }) => rule.id);
    const key = JSON.stringify([policies.map(({ name, observe }) => [name, observe]), names]);
    const known = mandates.get(key);
    if (known !== undefined) return known;
    const unbounded = compose(id, policies, names);
    const mandate = unbounded && withBounds(unbounded, bounds);
    if (mandate !== null) mandates.set(key, mandate);
    return mandate;
  }

  return {
    resolve(agent, action, atMs) {
      const candidates = candidatesOf(agent);
      const subject = { agent: agent as ConditionSubject['agent'], action };
      const seen = candidates.fields.map((field) =>
        [fieldOf(subject, field)].filter((one) => one !== undefined),
      );
      const key = JSON.stringify([candidates.number, seen]);
      if (key.length > LONGEST_KEY) return resolve(candidates, subject, atMs);
      const known = answers.get(key);
      if (known !== undefined && isWithin(known.spell, atMs)) return known.found;
      const found = resolve(candidates, subject, atMs);
      answers.set(key, { found, spell: spell(candidates.candidates, atMs) });
      return found;
    },
  };
}

export function inOrder(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((one, other) => one.priority - other.priority || (one.id < other.id ? -1 : 1));
}

/** What of the rules can match an agent, once its own attributes were asked; `fields`: what the rest depends on. */
type Candidates = {
  agent: AgentAttributes;
  /** Tells them from those of other agents, and of this one before it was changed. */
  number: number;
  candidates: readonly Candidate[];
  fields: readonly FieldPath[];
};
type Candidate = { rule: Rule; open: readonly CompiledCondition[] };
type Match = { rule: Rule; policy: NamedPolicy };

/** Whatever its mode, but that one: it stands beside the mandate. */
function isKept({ rule }: { rule: Rule }): boolean {
  return rule.mode !== 'shadow';
}

function candidatesAmong(
  rules: readonly Rule[],
  agent: AgentAttributes,
): Pick<Candidates, 'candidates' | 'fields'> {
  const candidates = rules.flatMap((rule): Candidate[] => {
    if (!mayMatch(rule, agent)) return [];
    return [{ rule, open: rule.conditions.filter((one) => !isOfAgent(one)) }];
  });
  const fields = candidates.flatMap(({ open }) => open.flatMap((one) => one.fields));
  const distinct = new Map(fields.map((field) => [JSON.stringify(field), field]));
  return { candidates, fields: [...distinct.values()].filter(([root]) => root !== 'agent') };
}

/** Whether some action of the agent could match the rule at some time. */
export function mayMatch({ agents, groups, conditions }: Rule, agent: AgentAttributes): boolean {
  if (agents !== null && agents(agent.id) === null) return false;
  if (groups !== null && !agent.groups.some((group) => groups.has(group))) return false;
  const subject = { agent, action: {} } as unknown as ConditionSubject;
  return conditions.every((one) => !isOfAgent(one) || one.holds(subject) === true);
}

/** So that it is the same for all that the agent does. */
function isOfAgent({ fields }: CompiledCondition): boolean {
  return fields.every(([root]) => root === 'agent');
}

export function isInForce({ startsAtMs, endsAtMs }: Rule, atMs: number): boolean {
  return (startsAtMs ?? Number.NEGATIVE_INFINITY) <= atMs && atMs < (endsAtMs ?? Number.POSITIVE_INFINITY);
}

function spell(candidates: readonly Candidate[], atMs: number): Spell {
  let holdsFromMs = 0;
  let holdsUntilMs: number | null = null;
  for (const { rule } of candidates) {
    for (const edgeMs of [rule.startsAtMs, rule.endsAtMs]) {
      if (edgeMs === null) continue;
      if (edgeMs <= atMs) holdsFromMs = Math.max(holdsFromMs, edgeMs);
      else holdsUntilMs = Math.min(holdsUntilMs ?? edgeMs, edgeMs);
    }
  }
  return { holdsFromMs, holdsUntilMs };
}

function isWithin({ holdsFromMs, holdsUntilMs }: Spell, atMs: number): boolean {
  return holdsFromMs <= atMs && atMs < (holdsUntilMs ?? Number.POSITIVE_INFINITY);
}
