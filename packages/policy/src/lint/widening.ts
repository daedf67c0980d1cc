/**
 * What a policy that is changed lets through that it did not: in words, for whoever is about to publish it. It looks at one
 * document, and so may name what another policy forbids all the same; what it does not name is not wider.
 */
import type { PolicyDocument, ToolPolicyDocument } from '@mandate/schemas';
import { canonicalJson } from '../digest.ts';
import { globsWithin } from './globs-within.ts';

/**
 * A policy version against the one before it; empty: nothing is wider.
 *
 * @param wasArchived whoever is to publish it, after the one before was archived: then rules that name it blocked
 */
export function widening(
  before: PolicyDocument,
  after: PolicyDocument,
  wasArchived = false,
): readonly string[] {
  const tools = namesOf(before, after);
  return [
    ...(wasArchived ? ['it was archived, and is given again by the rules that name it'] : []),
    ...(isObserved(after) && !isObserved(before) ? ['it only observes'] : []),
    ...later(before.expiresAt, after.expiresAt),
    ...higher('maxCostTotal', before.maxCostTotal, after.maxCostTotal),
    ...higher('maxCostPerCall', before.maxCostPerCall, after.maxCostPerCall),
    ...widerBudgets(before, after),
    ...widerRate('rateLimit', before.rateLimit, after.rateLimit),
    ...widerNames('Tools', before, after),
    ...widerNames('Models', before, after),
    ...widerRegistry(before.tools, after.tools),
    ...another(
      'defaultChargingPolicy',
      before.defaultChargingPolicy ?? SUCCESS_BASED,
      after.defaultChargingPolicy ?? SUCCESS_BASED,
    ),
    ...tools.flatMap((tool) => widerTool(tool, before.toolPolicies?.[tool], after.toolPolicies?.[tool])),
  ];
}

const SUCCESS_BASED = { type: 'SUCCESS_BASED' };

function isObserved({ mode = 'enforce' }: PolicyDocument): boolean {
  return mode === 'observe';
}

function later(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined) return [];
  if (after === undefined) return [`expiresAt: ${before} → never`];
  return Date.parse(after) > Date.parse(before) ? [`expiresAt: ${before} → ${after}`] : [];
}

/** An absent limit is none. */
function higher(name: string, before: number | undefined, after: number | undefined): string[] {
  if (before === undefined || (after !== undefined && after <= before)) return [];
  return [`${name}: ${before} → ${after ?? 'no limit'}`];
}

function widerBudgets(before: PolicyDocument, after: PolicyDocument): string[] {
  return (before.budgets ?? []).flatMap(({ id, scope, windowMs, max }) => {
    const kept = after.budgets?.find(
      (other) => other.id === id && other.scope === scope && other.windowMs === windowMs,
    );
    return higher(`budget ${id}`, max, kept?.max);
  });
}

type Rate = { maxCalls: number; windowMs: number };

function widerRate(name: string, before: Rate | undefined, after: Rate | undefined): string[] {
  if (before === undefined) return [];
  // In a window of another length no call is counted yet.
  if (after?.windowMs === before.windowMs && after.maxCalls <= before.maxCalls) return [];
  const said = (rate: Rate | undefined) =>
    rate === undefined ? 'no limit' : `${rate.maxCalls} in ${rate.windowMs} ms`;
  return [`${name}: ${said(before)} → ${said(after)}`];
}

/** Of tools, or of models. */
function widerNames(of: 'Tools' | 'Models', before: PolicyDocument, after: PolicyDocument): string[] {
  const isAllowed = globsWithin(before[`allowed${of}`] ?? ['*']);
  const isDenied = {
    before: globsWithin(before[`denied${of}`] ?? []),
    after: globsWithin(after[`denied${of}`] ?? []),
  };
  // Of agents below: what is allowed, and what may be handed on to them.
  const isAllowedBelow = globsWithin(allowedBelow(of, before));
  const mayBeAllowedBelow = globsWithin(allowedBelow(of, after), true);
  const allowed = (after[`allowed${of}`] ?? ['*'])
    .filter((glob) => !isAllowed(glob) && !isDenied.before(glob) && !isDenied.after(glob))
    .map((glob) => `allowed${of}: + ${glob}`);
  const denied = (before[`denied${of}`] ?? [])
    .filter(
      (glob) =>
        !isDenied.after(glob) && (after[`allowed${of}`] === undefined || mayMeet(glob, mayBeAllowedBelow)),
    )
    .map((glob) => `denied${of}: - ${glob}`);
  const delegable = delegableOf(of, after)
    .filter((glob) => !isAllowedBelow(glob) && !isDenied.before(glob) && !isDenied.after(glob))
    .map((glob) => `delegableTools: + ${glob}`);
  return [...allowed, ...delegable, ...denied];
}

function allowedBelow(of: 'Tools' | 'Models', policy: PolicyDocument): readonly string[] {
  return [...(policy[`allowed${of}`] ?? ['*']), ...delegableOf(of, policy)];
}

function delegableOf(of: 'Tools' | 'Models', { delegableTools = [] }: PolicyDocument): readonly string[] {
  return of === 'Tools' ? delegableTools : [];
}

/** Not told apart where a pattern has a *: it may be allowed in part. */
function mayMeet(glob: string, isAllowed: (glob: string) => boolean): boolean {
  return glob.includes('*') || isAllowed(glob);
}

/** An unknown tool is refused wherever tools are declared. */
function widerRegistry(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): string[] {
  if (before === undefined) return [];
  if (after === undefined) return ['tools: any name, where only declared ones were known'];
  const known = new Set(before);
  return after.filter((tool) => !known.has(tool)).map((tool) => `tools: + ${tool}`);
}

function namesOf(...policies: readonly PolicyDocument[]): readonly string[] {
  return [...new Set(policies.flatMap(({ toolPolicies = {} }) => Object.keys(toolPolicies)))].sort();
}

function widerTool(tool: string, before: ToolPolicyDocument = {}, after: ToolPolicyDocument = {}): string[] {
  const name = (field: string) => `toolPolicies.${tool}.${field}`;
  const { cost = 0 } = before;
  return [
    ...((after.cost ?? 0) < cost ? [`${name('cost')}: ${cost} → ${after.cost ?? 0}`] : []),
    ...higher(name('maxCostPerCall'), before.maxCostPerCall, after.maxCostPerCall),
    ...widerRate(name('rateLimit'), before.rateLimit, after.rateLimit),
    ...(before.requiresConfirmation === true && after.requiresConfirmation !== true
      ? [`${name('requiresConfirmation')}: no person is asked any more`]
      : []),
    ...(before.argumentValidation === undefined
      ? []
      : another(name('argumentValidation'), before.argumentValidation, after.argumentValidation)),
    ...another(name('chargingPolicy'), before.chargingPolicy, after.chargingPolicy),
  ];
}

/** What cannot be compared may be wider. */
function another(name: string, before: object | undefined, after: object | undefined): string[] {
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  return [`${name}: ${after === undefined ? 'gone' : 'another'}`];
}
