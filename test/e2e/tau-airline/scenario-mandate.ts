import { formatMicros, type MandateDocument, type PolicyDocument } from '@mandate/schemas';
import { costOf, type Scenario } from './scenario.ts';

/** A window that is longer than any run, so that a rate counts all calls of the run. */
const WHOLE_RUN_MS = 86_400_000;

/** Returns a scenario of the data set as a mandate that a person would write. */
export function mandateOf(
  name: string,
  { mandate }: Scenario,
  tools: readonly string[],
  agentPrefix = '',
): MandateDocument {
  const toolPolicies: NonNullable<MandateDocument['toolPolicies']> = {};
  for (const tool of tools) toolPolicies[tool] = { cost: dollars(costOf(tool)) };
  for (const [tool, maxima] of Object.entries(mandate.argumentMax ?? {})) {
    const properties = Object.fromEntries(
      Object.entries(maxima).map(([field, maximum]) => [field, { type: 'number', maximum }]),
    );
    const schema = { type: 'object', required: Object.keys(maxima), properties };
    toolPolicies[tool] = { ...toolPolicies[tool], argumentValidation: { schema } };
  }
  return {
    version: 1,
    id: `tau-${name}`,
    agents: [`${agentPrefix}airline-*`],
    ...(mandate.allowedTools && { allowedTools: mandate.allowedTools }),
    ...(mandate.deniedTools && { deniedTools: mandate.deniedTools }),
    ...(mandate.maxCostTotal !== undefined && { maxCostTotal: dollars(mandate.maxCostTotal) }),
    ...(mandate.maxCostPerCall !== undefined && { maxCostPerCall: dollars(mandate.maxCostPerCall) }),
    ...(mandate.maxCalls !== undefined && {
      rateLimit: { maxCalls: mandate.maxCalls, windowMs: WHOLE_RUN_MS },
    }),
    toolPolicies,
  };
}

/**
 * Returns the scenario as policies and rules instead of a mandate. Each part of the mandate is a policy, and one rule
 * applies all policies to all registered agents. Together they allow exactly what the mandate allows.
 */
export function controlOf(...[name, scenario, tools]: [string, Scenario, readonly string[]]): {
  policies: PolicyDocument[];
  rules: object[];
} {
  const { agents: _, version, id, ...said } = mandateOf(name, scenario, tools);
  const policies = Object.entries(said).map(([field, value]) => ({
    version,
    id: `${id}-${field.toLowerCase()}`,
    [field]: value,
  }));
  const rules = policies.map((policy) => ({ version: 1, id: `to-all-${policy.id}`, policy: policy.id }));
  return { policies, rules };
}

function dollars(micros: number): number {
  return Number(formatMicros(micros).slice(1));
}
