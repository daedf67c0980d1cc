/**
 * Finds what a changed policy newly allows, as lines of text for the person who is about to publish it. Only one
 * document is examined, so another policy may still forbid what is reported here. A change that is not reported is
 * certainly not wider.
 */

import { type Difference, governanceWidenings } from '@mandate/manifest';
import { canonicalJson } from '@mandate/policy';
import type { StepBudget } from '@mandate/policy/parts';
import { modelPatterns, narrowsValidator, providerPatterns } from '@mandate/policy/parts';
import {
  type BudgetDocument,
  type ChargingDocument,
  COUNTER_UNITS,
  type CounterUnit,
  DEFAULTS,
  durationInWords,
  type ModelPriceDocument,
  type OpenDocument,
  type PolicyDocument,
  policyNamed,
  type ReleasesDocument,
  type RuleDocument,
  type ToolPolicyDocument,
  UNIT_NAMES,
  type UnitLimitsIn,
  unitLimitsIn,
} from '@mandate/schemas';
import { globsWithin } from './globs-within.ts';
import { isAlive } from './rules-read.ts';

/**
 * At most this many characters of patterns are compared for one change: 16 ms on a machine of 2026. The comparison
 * runs on the event loop, when the change takes effect. Patterns that are not compared count as wider.
 */
const OF_A_CHANGE = 8_000_000;

/** Compares a policy version with the version before it. Empty if the new version allows nothing more. */
export function widening(before: PolicyDocument, after: PolicyDocument): readonly string[] {
  return differences(before, after).map(({ wider }) => wider);
}

/**
 * Compares a policy version with the version before it. Empty if the new version takes nothing away. A change takes
 * away what the opposite change would newly allow.
 */
export function narrowing(before: PolicyDocument, after: PolicyDocument): readonly string[] {
  return differences(after, before).map(({ narrower }) => narrower);
}

/** Returns what `after` newly allows. Each difference is told in both directions where it is found. */
function differences(before: PolicyDocument, after: PolicyDocument): readonly Difference[] {
  const stepBudget = { left: OF_A_CHANGE };
  const tools = namesOf(before, after).filter(usableUnder(after, stepBudget));
  return [
    ...(isObserved(after) && !isObserved(before) ? [ONLY_OBSERVES] : []),
    ...later(before.expiresAt, after.expiresAt),
    ...higher('maxCostTotal', before.maxCostTotal, after.maxCostTotal),
    ...higher('maxCostPerCall', before.maxCostPerCall, after.maxCostPerCall),
    ...lowerActualCost('maxActualCost', before.maxActualCost, after.maxActualCost),
    ...widerReleases(before.maxReleases, after.maxReleases),
    ...(before.requireEstimate === true && after.requireEstimate !== true
      ? [said('requireEstimate', ...NO_ESTIMATE)]
      : []),
    ...lower('defaultEstimate', before.defaultEstimate, after.defaultEstimate),
    ...moreOpen(before.maxOpen, after.maxOpen),
    ...widerBudgets(before, after),
    ...COUNTER_UNITS.flatMap((unit) => widerInUnit(unit, before, after)),
    ...widerRate('rateLimit', before.rateLimit, after.rateLimit),
    ...widerWaiting(before, after),
    ...widerNames('Tools', before, after, stepBudget),
    ...widerNames('Models', before, after, stepBudget),
    ...widerNames('Providers', before, after, stepBudget),
    ...lowerPrices(before, after),
    ...fewerTokens(before, after),
    ...widerRegistry(before.tools, after.tools),
    ...otherCharging('defaultChargingPolicy', before.defaultChargingPolicy, after.defaultChargingPolicy),
    ...tools.flatMap((tool) => widerTool(tool, before, after)),
    ...governanceWidenings(before.governance, after.governance),
  ];
}

const ONLY_OBSERVES: Difference = {
  wider: 'it only observes',
  narrower: 'it is enforced, and not only observed',
};

const NO_ESTIMATE = ['no estimate is required any more', 'an estimate is required'] as const;

function said(name: string, wider: string, narrower: string): Difference {
  return { wider: `${name}: ${wider}`, narrower: `${name}: ${narrower}` };
}

/** @param notes what else to say, in each direction */
function changed(
  name: string,
  was: string | number,
  is: string | number,
  notes: Partial<Difference> = {},
): Difference {
  return said(name, `${was} → ${is}${notes.wider ?? ''}`, `${is} → ${was}${notes.narrower ?? ''}`);
}

const SUCCESS_BASED = { type: 'SUCCESS_BASED' } as const;

/**
 * Finds rules that stop blocking when a version is published. They block until then, because they name a version that
 * does not exist yet, or an archived policy. Empty if there are no such rules.
 *
 * @param there the policy before the version is published, and how many versions it has
 */
export function wideningByArrival(
  policyId: string,
  there: { versions: number; isArchived: boolean },
  rules: Iterable<RuleDocument>,
  atMs: number,
): readonly string[] {
  const waiting: string[] = [];
  for (const rule of rules) {
    const { id, version } = policyNamed(rule.policy);
    if (id !== policyId || !isAlive(rule, atMs)) continue;
    const wasThere = !there.isArchived && (version ?? 1) <= there.versions;
    const isThere = version === null || version <= there.versions + 1;
    if (isThere && !wasThere) waiting.push(rule.id);
  }
  if (waiting.length === 0) return [];
  const more = waiting.length - MOST_NAMED;
  const named = [...waiting.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return [`rules that blocked without this policy now give it: ${named}`];
}

const MOST_NAMED = 5;

function isObserved({ mode = 'enforce' }: PolicyDocument): boolean {
  return mode === 'observe';
}

function widerWaiting(before: PolicyDocument, after: PolicyDocument): Difference[] {
  const [was, is] = [maxWaitingOf(before), maxWaitingOf(after)];
  // The limit is gone because no tool asks a person any more. That change of the tools is already reported.
  if (is === undefined && before.maxWaiting === undefined) return [];
  return higher('maxWaiting', was, is);
}

/**
 * Returns the limit of the policy. Without a value, a policy that asks a person for approval has the default limit,
 * and any other policy has no limit.
 */
function maxWaitingOf({ maxWaiting, toolPolicies = {} }: PolicyDocument): number | undefined {
  const asks = Object.values(toolPolicies).some(({ requiresConfirmation }) => requiresConfirmation === true);
  return maxWaiting ?? (asks ? DEFAULTS.maxWaiting : undefined);
}

function later(before: string | undefined, after: string | undefined): Difference[] {
  if (before === undefined) return [];
  if (after === undefined) return [changed('expiresAt', before, 'never')];
  return Date.parse(after) > Date.parse(before) ? [changed('expiresAt', before, after)] : [];
}

/** An absent limit means no limit. */
function higher(name: string, before: number | undefined, after: number | undefined): Difference[] {
  if (before === undefined || (after !== undefined && after <= before)) return [];
  return [changed(name, before, after ?? 'no limit')];
}

function longer(name: string, beforeMs: number | undefined, afterMs: number | undefined): Difference[] {
  if (beforeMs === undefined || (afterMs !== undefined && afterMs <= beforeMs)) return [];
  return [
    changed(name, durationInWords(beforeMs), afterMs === undefined ? 'no limit' : durationInWords(afterMs)),
  ];
}

/** An absent amount is 0. */
function lower(name: string, before = 0, after = 0): Difference[] {
  return after < before ? [changed(name, before, after)] : [];
}

/**
 * Reports a lower cap of actual costs, because shared budgets are then charged less. The default cap depends on the
 * call, so it may be lower or higher than a number.
 */
function lowerActualCost(name: string, before: number | undefined, after: number | undefined): Difference[] {
  if (before === after || (before !== undefined && after !== undefined && after > before)) return [];
  return [changed(name, before ?? 'the default', after ?? 'the default')];
}

function widerReleases(
  before: ReleasesDocument = DEFAULTS.releases,
  after: ReleasesDocument = DEFAULTS.releases,
): Difference[] {
  if (before === 'unlimited') return [];
  if (after !== 'unlimited' && after.calls <= before.calls && after.percent <= before.percent) return [];
  const inWords = (releases: ReleasesDocument) =>
    releases === 'unlimited' ? releases : `${releases.calls} calls and ${releases.percent} %`;
  return [changed('maxReleases', inWords(before), inWords(after))];
}

/**
 * Reports a higher `maxOpen`. The default limits only calls that reserve nothing. So a change from a number to the
 * default is always reported.
 */
function moreOpen(before: OpenDocument | undefined, after: OpenDocument | undefined): Difference[] {
  if (before === after || before === 'unlimited') return [];
  const most = before ?? DEFAULTS.maxOpen;
  if (typeof after === 'number' && after <= most) return [];
  return [changed('maxOpen', before ?? 'the default', after ?? 'the default')];
}

/**
 * Reports budgets that are wider or missing. A budget with another scope or window is reported too, because its new
 * counter starts at 0.
 */
function widerBudgets(before: PolicyDocument, after: PolicyDocument): Difference[] {
  return widerCounters('budget', before.budgets, after.budgets);
}

/** Reports the same of limits in units other than money. */
function widerInUnit(unit: CounterUnit, before: PolicyDocument, after: PolicyDocument): Difference[] {
  const { total, perWindow } = UNIT_NAMES[unit];
  const [was, is] = [unitLimitsIn(before, unit), unitLimitsIn(after, unit)];
  const windowsOf = ({ windows }: UnitLimitsIn) =>
    windows.map(({ most, ...limit }) => ({ ...limit, max: most }));
  return [
    ...higher(total, was.total ?? undefined, is.total ?? undefined),
    ...widerCounters(perWindow, windowsOf(was), windowsOf(is)),
  ];
}

function widerCounters(
  field: string,
  before: readonly BudgetDocument[] = [],
  after: readonly BudgetDocument[] = [],
): Difference[] {
  return before.flatMap((budget) => {
    const named = after.filter(({ id }) => id === budget.id);
    const kept = named.find(({ scope, windowMs }) => scope === budget.scope && windowMs === budget.windowMs);
    const [other] = named;
    if (kept !== undefined || other === undefined)
      return higher(`${field} ${budget.id}`, budget.max, kept?.max);
    return [
      changed(`${field} ${budget.id}`, counterOf(budget), counterOf(other), { wider: ', which starts at 0' }),
    ];
  });
}

function counterOf({ max, scope, windowMs }: BudgetDocument): string {
  return `${max} of each ${scope}${windowMs === undefined ? '' : ` in ${durationInWords(windowMs)}`}`;
}

type Rate = NonNullable<PolicyDocument['rateLimit']>;

function widerRate(name: string, before: Rate | undefined, after: Rate | undefined): Difference[] {
  if (before === undefined) return [];
  // A rate with another window starts with a new counter, so it allows more calls for a while.
  if (after?.maxCalls === 0) return [];
  const { scope: was = 'agent' } = before;
  const is = after?.scope ?? 'agent';
  if (is === was && after?.windowMs === before.windowMs && after.maxCalls <= before.maxCalls) return [];
  const rateOf = (rate: Rate | undefined) =>
    rate === undefined
      ? 'no limit'
      : `${rate.maxCalls} in ${durationInWords(rate.windowMs)}${rate.scope === 'principal' ? ' for each person' : ''}`;
  const anew =
    after === undefined || (is === was && after.windowMs === before.windowMs)
      ? ''
      : ', which has counted no call yet';
  return [changed(name, rateOf(before), rateOf(after), { wider: anew })];
}

type Named = 'Tools' | 'Models' | 'Providers';

/** The globs that a pattern stands for, by kind of name. One model pattern can stand for several globs. */
const GLOBS_OF: Record<Named, (pattern: string) => readonly string[]> = {
  Tools: (pattern) => [pattern],
  Models: modelPatterns,
  Providers: providerPatterns,
};

function widerNames(
  of: Named,
  before: PolicyDocument,
  after: PolicyDocument,
  stepBudget: StepBudget,
): Difference[] {
  const within = (patterns: readonly string[], unknown = false) =>
    patternsWithin(of, patterns, { unknown, stepBudget });
  const isAllowed = within(before[`allowed${of}`] ?? ['*']);
  const isDenied = {
    before: within(before[`denied${of}`] ?? []),
    after: within(after[`denied${of}`] ?? []),
  };
  // The names that descendants may use: names that the policy allows, and names that the agent may delegate.
  const isAllowedBelow = within(allowedBelow(of, before));
  const mayBeAllowedBelow = within(allowedBelow(of, after), true);
  const allowed = (after[`allowed${of}`] ?? ['*'])
    .filter((glob) => !isAllowed(glob) && !isDenied.before(glob) && !isDenied.after(glob))
    .map((glob) => said(`allowed${of}`, `+ ${glob}`, `- ${glob}`));
  const denied = (before[`denied${of}`] ?? [])
    .filter(
      (glob) =>
        !isDenied.after(glob) &&
        (after[`allowed${of}`] === undefined || mayMeet(of, glob, mayBeAllowedBelow)),
    )
    .map((glob) => said(`denied${of}`, `- ${glob}`, `+ ${glob}`));
  const delegable = delegableOf(of, after)
    .filter((glob) => !isAllowedBelow(glob) && !isDenied.before(glob) && !isDenied.after(glob))
    .map((glob) => said('delegableTools', `+ ${glob}`, `- ${glob}`));
  return [...allowed, ...delegable, ...denied];
}

/** True if the list matches every name that the pattern matches. */
function patternsWithin(
  of: Named,
  patterns: readonly string[],
  { unknown, stepBudget }: { unknown: boolean; stepBudget: StepBudget },
): (pattern: string) => boolean {
  const isWithin = globsWithin(patterns.flatMap(GLOBS_OF[of]), unknown, stepBudget);
  return (pattern) => GLOBS_OF[of](pattern).every(isWithin);
}

function allowedBelow(of: Named, policy: PolicyDocument): readonly string[] {
  return [...(policy[`allowed${of}`] ?? ['*']), ...delegableOf(of, policy)];
}

function delegableOf(of: Named, { delegableTools = [] }: PolicyDocument): readonly string[] {
  return of === 'Tools' ? delegableTools : [];
}

/**
 * True if the policy may allow a name that the glob matches. Also true for a glob with a *, because a part of its
 * names may be allowed. Also true for models and providers, because they have more names than a list contains.
 */
function mayMeet(of: Named, glob: string, isAllowed: (glob: string) => boolean): boolean {
  return of !== 'Tools' || glob.includes('*') || isAllowed(glob);
}

/**
 * Reports prices of models that may be lower than before. A price that is added or removed is reported too, because
 * the price lists may contain a higher or lower price.
 */
function lowerPrices({ modelPrices: before = {} }: PolicyDocument, after: PolicyDocument): Difference[] {
  const { modelPrices = {} } = after;
  const models = [...new Set([...Object.keys(before), ...Object.keys(modelPrices)])].sort();
  return models.flatMap((model) => {
    const [was, is] = [before[model], modelPrices[model]];
    const isAsHigh =
      was !== undefined && is !== undefined && RATES.every((rate) => (is[rate] ?? 0) >= (was[rate] ?? 0));
    return isAsHigh ? [] : [changed(`modelPrices.${model}`, priceInWords(was), priceInWords(is))];
  });
}

const RATES = ['inputPerMillion', 'outputPerMillion', 'perCall'] as const;

function priceInWords(price: ModelPriceDocument | undefined): string {
  if (price === undefined) return 'as listed';
  const { inputPerMillion, outputPerMillion, perCall } = price;
  const fee = perCall === undefined ? '' : ` and ${perCall} a call`;
  return `${inputPerMillion} in, ${outputPerMillion} out${fee}`;
}

/**
 * Reports lower default token counts. They are used for calls that state no count. Without a default such a call is
 * refused if money is limited.
 */
function fewerTokens({ defaultTokens: before = {} }: PolicyDocument, after: PolicyDocument): Difference[] {
  const { defaultTokens = {} } = after;
  return (['inputTokens', 'maxOutputTokens'] as const).flatMap((field) => {
    const [was, is] = [before[field], defaultTokens[field]];
    if (was === is || (was !== undefined && is !== undefined && is > was)) return [];
    return [changed(`defaultTokens.${field}`, was ?? 'none', is ?? 'none')];
  });
}

/** Reports tools that are newly declared. A policy that declares tools refuses all other tools. */
function widerRegistry(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): Difference[] {
  if (before === undefined) return [];
  if (after === undefined)
    return [
      said('tools', 'any name is accepted, and not only declared tools', 'only declared tools are accepted'),
    ];
  const known = new Set(before);
  return after.filter((tool) => !known.has(tool)).map((tool) => said('tools', `+ ${tool}`, `- ${tool}`));
}

function namesOf(...policies: readonly PolicyDocument[]): readonly string[] {
  return [...new Set(policies.flatMap(({ toolPolicies = {} }) => Object.keys(toolPolicies)))].sort();
}

/**
 * Returns a function that tells whether a tool may be called, by the agent under the policy or by its descendants.
 */
function usableUnder(policy: PolicyDocument, stepBudget: StepBudget): (tool: string) => boolean {
  // If the comparison takes too long, the tool counts as usable.
  const isAllowed = globsWithin(allowedBelow('Tools', policy), true, stepBudget);
  const isDenied = globsWithin(policy.deniedTools ?? [], false, stepBudget);
  return (tool) => isAllowed(tool) && !isDenied(tool);
}

function widerTool(tool: string, before: PolicyDocument, after: PolicyDocument): Difference[] {
  const [was, is] = [before, after].map(({ toolPolicies }) => toolPolicies?.[tool] ?? {}) as [
    ToolPolicyDocument,
    ToolPolicyDocument,
  ];
  const name = (field: string) => `toolPolicies.${tool}.${field}`;
  const lease = ({ executionLeaseMs = DEFAULTS.leaseMs }: ToolPolicyDocument) => executionLeaseMs;
  const needsEstimate =
    before.requireEstimate === true && after.requireEstimate === true && was.cost === undefined;
  return [
    ...lower(name('cost'), was.cost ?? before.defaultEstimate, is.cost ?? after.defaultEstimate),
    ...(needsEstimate && is.cost !== undefined ? [said(name('cost'), ...NO_ESTIMATE)] : []),
    ...higher(name('maxCostPerCall'), was.maxCostPerCall, is.maxCostPerCall),
    ...lowerActualCost(name('maxActualCost'), was.maxActualCost, is.maxActualCost),
    ...widerRate(name('rateLimit'), was.rateLimit, is.rateLimit),
    ...moreRoles(name('roles'), was.roles, is.roles),
    ...(was.requiresConfirmation === true && is.requiresConfirmation !== true
      ? [said(name('requiresConfirmation'), 'no person is asked any more', 'a person is asked')]
      : []),
    ...(was.idempotent !== true && is.idempotent === true
      ? [said(name('idempotent'), 'a call may be sent twice', 'a call may not be sent twice any more')]
      : []),
    ...longer(name('questionMs'), was.questionMs, is.questionMs),
    ...longer(name('grantMs'), was.grantMs ?? DEFAULTS.grantMs, is.grantMs ?? DEFAULTS.grantMs),
    ...otherValidation(name('argumentValidation'), was.argumentValidation, is.argumentValidation),
    ...(was.chargingPolicy === undefined && is.chargingPolicy === undefined
      ? []
      : otherCharging(
          name('chargingPolicy'),
          was.chargingPolicy ?? before.defaultChargingPolicy,
          is.chargingPolicy ?? after.defaultChargingPolicy,
        )),
    ...(lease(is) < lease(was)
      ? [
          changed(name('executionLeaseMs'), lease(was), lease(is), {
            wider: ': a call without an outcome may be retried sooner',
            narrower: ': a call without an outcome may be retried later',
          }),
        ]
      : []),
  ];
}

/**
 * Reports another mode of charging. A mode that charges every attempt charges at least as much as a mode that charges
 * only successes.
 */
function otherCharging(
  name: string,
  before: ChargingDocument = SUCCESS_BASED,
  after: ChargingDocument = SUCCESS_BASED,
): Difference[] {
  if (before.type === 'SUCCESS_BASED' && after.type === 'ATTEMPT_BASED') return [];
  return another(name, before, after);
}

/** Reports changed checks of arguments. An additional check allows nothing more. */
function otherValidation(
  name: string,
  before: ToolPolicyDocument['argumentValidation'] = {},
  after: ToolPolicyDocument['argumentValidation'] = {},
): Difference[] {
  const asked = after.validators ?? [];
  const isSchemaKept =
    before.schema === undefined || canonicalJson(before.schema) === canonicalJson(after.schema ?? null);
  if (
    isSchemaKept &&
    (before.validators ?? []).every((one) => asked.some((other) => narrowsValidator(one, other)))
  )
    return [];
  return another(name, before, after);
}

/** Reports any other change as possibly wider, because the code cannot tell which document allows more. */
function another(name: string, before: object, after: object): Difference[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [said(name, 'another, which may let more through', 'another, which may let less through')];
}

/** Reports roles that may use a tool now. An absent list lets everybody use it. */
function moreRoles(
  name: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): Difference[] {
  if (before === undefined) return [];
  if (after === undefined) return [said(name, 'everybody may use it', 'only some roles may use it')];
  const added = after.filter((role) => !before.includes(role));
  return added.length === 0 ? [] : [said(name, `${added.join(', ')} added`, `${added.join(', ')} removed`)];
}
