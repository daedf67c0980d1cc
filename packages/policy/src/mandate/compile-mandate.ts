/** Compiles documents into the policies and mandates that are enforced. */

import type {
  ChargingDocument,
  Json,
  MandateDocument,
  PolicyDocument,
  ToolPolicyDocument,
} from '@mandate/schemas';
import {
  CAPS,
  type CounterUnit,
  DEFAULTS,
  dollarsToMicros,
  TOTAL_BUDGET,
  UNIT_NAMES,
  unitLimitsIn,
} from '@mandate/schemas/core';
import {
  type ArgumentRules,
  argumentRulesOnDemand,
  compileArgumentRules,
} from '../arguments/argument-rules.ts';
import { PATTERNS_TOO_LARGE, type Room, roomToWrite } from '../arguments/pattern-size.ts';
import { PatternRefused } from '../arguments/pattern-to-re2.ts';
import { partsOf } from '../arguments/schema-shape.ts';
import { digestOf } from '../digest.ts';
import { compileGlobs } from '../glob.ts';
import { compileGovernance, compileNow } from '../governance/compile-governance.ts';
import type { Governance } from '../governance/governance.ts';
import { compileModels, compileProviders } from '../models/name-lists.ts';
import { compileModelPrices, type ModelPrices } from '../prices/model-prices.ts';
import { consume } from '../step-budget.ts';
import type { Budget, ChargingRule, MandateOfFile, Policy, ToolPolicy, UnitLimitRule } from './mandate.ts';
import { toolNameFaults } from './tool-names.ts';

/** A fault in a document that has the right shape but cannot be used. `path` leads to the faulty field. */
type CompileFault = { path: readonly (string | number)[]; message: string };

export type Compiled<T> = { ok: true; compiled: T } | { ok: false; faults: readonly CompileFault[] };

/** Compiles a mandate of a file: one policy, with the patterns of the agents to which it applies. */
export function compileMandate(document: MandateDocument): Compiled<MandateOfFile> {
  const { agents, ...authority } = document;
  const policy = compilePolicy(authority, null);
  if (!policy.ok) return policy;
  const hash = digestOf(document as Json);
  const reference = { id: document.id, hash, rules: [], policies: [] };
  return {
    ok: true,
    compiled: { reference, policies: [policy.compiled], agents: compileGlobs(agents), agentGlobs: agents },
  };
}

/**
 * @param name the name of the policy on records, with its version; null for a whole mandate
 * @param how.room the limits that all documents of a request share; if absent, the policy has limits of its own
 * @param how.isOnLog true if the document is on the log. The process that wrote the document has checked the size
 *   limits, and newer limits do not apply. Its argument rules are compiled only when a call needs them.
 */
export function compilePolicy(
  document: PolicyDocument,
  name: string | null,
  { isOnLog = false, room = roomToWrite() }: { isOnLog?: boolean; room?: Room } = {},
): Compiled<Policy> {
  const faults: CompileFault[] = isOnLog ? [] : toolNameFaults(document);
  const compileRules = isOnLog ? rulesOnDemand : rulesWithin(room, faults);
  const tools = new Map<string, ToolPolicy>();
  for (const [tool, policy] of Object.entries(document.toolPolicies ?? {})) {
    tools.set(tool, compileToolPolicy(policy, ['toolPolicies', tool], { faults, compileRules }));
  }
  const budgets = compileBudgets(document, faults);
  const unitLimits = {
    tokens: compileUnitLimits(document, 'tokens', faults),
    toolCalls: compileUnitLimits(document, 'toolCalls', faults),
  };
  const modelPrices = compilePrices(document, faults);
  const governance = compileSection(document, { room, isOnLog, faults });
  checkTiers(document.defaultChargingPolicy, ['defaultChargingPolicy'], faults);
  if (faults.length > 0) return { ok: false, faults };
  const compiled: Policy = {
    id: document.id,
    name,
    ancestor: null,
    hash: digestOf(document as Json),
    isMissing: false,
    observe: document.mode === 'observe',
    expiresAtMs: document.expiresAt === undefined ? null : Date.parse(document.expiresAt),
    maxCostTotalMicros: microsOf(document.maxCostTotal),
    maxCostPerCallMicros: microsOf(document.maxCostPerCall),
    maxActualMicros: microsOf(document.maxActualCost),
    releases: document.maxReleases ?? DEFAULTS.releases,
    requireEstimate: document.requireEstimate ?? false,
    defaultEstimateMicros: microsOf(document.defaultEstimate),
    maxOpen: document.maxOpen ?? null,
    budgets,
    unitLimits,
    rate: document.rateLimit ?? null,
    maxWaiting: document.maxWaiting ?? null,
    allowedTools: listOf(document.allowedTools, compileGlobs),
    delegableTools: listOf(document.delegableTools, compileGlobs),
    deniedTools: listOf(document.deniedTools, compileGlobs),
    allowedModels: listOf(document.allowedModels, compileModels),
    deniedModels: listOf(document.deniedModels, compileModels),
    allowedProviders: listOf(document.allowedProviders, compileProviders),
    deniedProviders: deniesAny(document.deniedProviders) ? compileProviders(document.deniedProviders) : null,
    modelPrices,
    governance,
    defaultTokens: {
      input: document.defaultTokens?.inputTokens ?? null,
      maxOutput: document.defaultTokens?.maxOutputTokens ?? null,
    },
    registry: document.tools === undefined ? null : new Set(document.tools),
    charging: chargingOf(document.defaultChargingPolicy) ?? { type: 'SUCCESS_BASED' },
    tools,
  };
  return { ok: true, compiled };
}

/** Compiles the section `governance`. A pattern that cannot run is a fault, unless the document is on the log. */
function compileSection(
  { governance }: PolicyDocument,
  { room, isOnLog, faults }: { room: Room; isOnLog: boolean; faults: CompileFault[] },
): Governance | null {
  if (governance === undefined) return null;
  if (isOnLog) return compileGovernance(governance);
  const fallbacks = governance.intents?.filter(({ triggers }) => triggers.fallback).length ?? 1;
  if (fallbacks !== 1) {
    const message = `has ${fallbacks} fallbacks: give exactly one intent \`triggers: { fallback: true }\``;
    faults.push({ path: ['governance', 'intents'], message });
    return null;
  }
  const compiled = compileGovernance(governance, room.patterns);
  try {
    compileNow(compiled);
  } catch (error) {
    if (!(error instanceof PatternRefused)) throw error;
    faults.push({ path: ['governance'], message: `has a pattern that cannot run: ${error.message}` });
  }
  return compiled;
}

function compileToolPolicy(
  policy: ToolPolicyDocument,
  path: readonly (string | number)[],
  { faults, compileRules }: { faults: CompileFault[]; compileRules: CompileRules },
): ToolPolicy {
  checkTiers(policy.chargingPolicy, [...path, 'chargingPolicy'], faults);
  for (const field of ['questionMs', 'grantMs'] as const) {
    if (policy[field] === undefined || policy.requiresConfirmation === true) continue;
    const message = `${field} has no effect without requiresConfirmation: true, because no person is asked`;
    faults.push({ path: [...path, field], message });
  }
  return {
    costMicros: microsOf(policy.cost),
    maxCostPerCallMicros: microsOf(policy.maxCostPerCall),
    maxActualMicros: microsOf(policy.maxActualCost),
    rate: policy.rateLimit ?? null,
    charging: chargingOf(policy.chargingPolicy),
    argumentRules: compileRules(policy, path),
    leaseMs: policy.executionLeaseMs ?? null,
    roles: policy.roles ?? null,
    requiresConfirmation: policy.requiresConfirmation ?? null,
    questionMs: policy.questionMs ?? null,
    grantMs: policy.grantMs ?? null,
    risk: policy.risk ?? null,
    idempotent: policy.idempotent ?? null,
  };
}

type CompileRules = (policy: ToolPolicyDocument, path: readonly (string | number)[]) => ArgumentRules | null;

const rulesOnDemand: CompileRules = ({ argumentValidation }) =>
  argumentValidation === undefined ? null : argumentRulesOnDemand(argumentValidation);

/**
 * Returns a function that compiles argument rules within the size limits. A single schema may take milliseconds. All
 * schemas together must take less than a second.
 */
function rulesWithin({ patterns, schemaParts }: Room, faults: CompileFault[]): CompileRules {
  return ({ argumentValidation }, path) => {
    if (argumentValidation === undefined) return null;
    const fault = (message: string, steps: readonly (string | number)[] = []) => {
      faults.push({ path: [...path, 'argumentValidation', ...steps], message });
      return null;
    };
    // A fault about the size limits was reported already. Later argument rules would only repeat the fault.
    if (schemaParts.left < 0 || patterns.left < 0) return null;
    if (!consume(schemaParts, partsOf(argumentValidation)))
      return fault(
        `makes the schemas of the document larger than ${CAPS.schemaParts} objects together: split it into several policies`,
      );
    const compiled = compileArgumentRules(argumentValidation, patterns);
    if (patterns.left < 0) return fault(PATTERNS_TOO_LARGE);
    if (compiled.ok) return compiled;
    for (const each of compiled.faults) fault(each.message, each.path);
    return null;
  };
}

function compileBudgets(document: PolicyDocument, faults: CompileFault[]): readonly Budget[] {
  const { budgets = [] } = document;
  reportRepeats(budgets, { field: 'budgets', what: 'budget' }, faults);
  return budgets.map(({ id, scope, max, windowMs = null }): Budget => {
    return { id, scope, maxMicros: microsOf(max) ?? 0, windowMs };
  });
}

function compileUnitLimits(
  document: PolicyDocument,
  unit: CounterUnit,
  faults: CompileFault[],
): readonly UnitLimitRule[] {
  const { total, windows } = unitLimitsIn(document, unit);
  reportRepeats(windows, { field: UNIT_NAMES[unit].perWindow, what: 'limit' }, faults);
  if (total === null) return windows;
  return [{ id: TOTAL_BUDGET, scope: 'agent', windowMs: null, most: total }, ...windows];
}

/** Reports each counter that the list has twice. */
function reportRepeats(
  listed: readonly { id: string; scope: string; windowMs?: number | undefined }[],
  { field, what }: { field: string; what: string },
  faults: CompileFault[],
): void {
  const seen = new Set<string>();
  for (const [index, { id, scope, windowMs }] of listed.entries()) {
    const counter = `${scope}/${id}/${windowMs}`;
    if (seen.has(counter)) {
      const message = `repeats the ${what} "${id}" of the same scope and window: keep one of them`;
      faults.push({ path: [field, index], message });
    }
    seen.add(counter);
  }
}

function chargingOf(document: ChargingDocument | undefined): ChargingRule | null {
  if (document === undefined) return null;
  if (document.type !== 'TIERED') return { type: document.type };
  return {
    type: 'TIERED',
    attemptMicros: microsOf(document.attempt) ?? 0,
    successMicros: microsOf(document.success) ?? 0,
    verificationMicros: microsOf(document.verification) ?? 0,
  };
}

/** The amounts of all tiers are reserved together, so a counter must be able to store their sum. */
function checkTiers(
  document: ChargingDocument | undefined,
  path: readonly (string | number)[],
  faults: CompileFault[],
): void {
  const rule = chargingOf(document);
  if (rule?.type !== 'TIERED') return;
  if (rule.attemptMicros + rule.successMicros + rule.verificationMicros <= CAPS.amountMicros) return;
  faults.push({ path, message: 'has tiers whose sum is larger than any budget can be' });
}

/**
 * Returns the amount in micro-dollars. Null if the amount is absent. The schema has already refused amounts that are
 * not a whole number of micro-dollars.
 */
function microsOf(dollars: number | undefined): number | null {
  return dollars === undefined ? null : dollarsToMicros(dollars);
}

/** Compiles a list. An empty list is not the same as an absent list: it matches nothing. */
function listOf<L>(
  patterns: readonly string[] | undefined,
  compile: (patterns: readonly string[]) => L,
): L | null {
  return patterns === undefined ? null : compile(patterns);
}

/**
 * True if the list denies a provider. A call that names no provider is then refused. An empty list denies no
 * provider.
 */
function deniesAny(patterns: readonly string[] | undefined): patterns is readonly string[] {
  return patterns !== undefined && patterns.length > 0;
}

/** Compiles the prices of models. Two prices for one model are a fault. */
function compilePrices(document: PolicyDocument, faults: CompileFault[]): ModelPrices | null {
  if (document.modelPrices === undefined) return null;
  const { prices, repeated } = compileModelPrices(document.modelPrices);
  for (const [name, first] of repeated) {
    const message = `prices the same model as "${first}": keep one of them`;
    faults.push({ path: ['modelPrices', name], message });
  }
  return prices;
}
