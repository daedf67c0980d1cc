/** What the risk of a tool means in a policy. */
import type { ToolPolicyDocument } from '@mandate/schemas';
import type { RiskLevel } from '@mandate/schemas/agent-manifest';
import type { CompileOptions } from './compiled.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const MEANING: Readonly<Record<RiskLevel, ToolPolicyDocument>> = {
  safe: {},
  standard: { rateLimit: { maxCalls: 60, windowMs: MINUTE_MS } },
  critical: { requiresConfirmation: true, rateLimit: { maxCalls: 10, windowMs: HOUR_MS } },
};

/** Returns the policy of a tool. `risk` null: the author of the tool stated no risk level. */
export type PolicyOfRisk = (risk: RiskLevel | null) => ToolPolicyDocument;

/** @param asksPeople true if a person confirms each tool that is not rated safe */
export function policiesOfRisk(
  { risk, unratedRisk = 'critical' }: CompileOptions,
  asksPeople: boolean,
): PolicyOfRisk {
  const made = new Map<RiskLevel | null, ToolPolicyDocument>();
  for (const rated of ['safe', 'standard', 'critical', null] as const) {
    const level = rated ?? unratedRisk;
    const policy = risk?.[level] ?? MEANING[level];
    made.set(rated, asksPeople && rated !== 'safe' ? { ...policy, requiresConfirmation: true } : policy);
  }
  return (rated) => made.get(rated) ?? MEANING.critical;
}
