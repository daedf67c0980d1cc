/** The risk of a tool, and what the hints of its server make of it. */

/** From the lowest to the highest. */
export const RISK_LEVELS = ['safe', 'standard', 'critical'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

type HintsOfRisk = {
  readOnly?: boolean | undefined;
  destructive?: boolean | undefined;
  openWorld?: boolean | undefined;
};

/**
 * Returns the risk of a tool by what its server says about it. For a hint that is absent, the default of MCP counts: a
 * tool may destroy, and reaches an open world. So a tool without hints is critical. A server that calls a tool read-only
 * and destructive contradicts itself, and the worse counts.
 */
export function riskOfHints({ readOnly, destructive, openWorld }: HintsOfRisk): RiskLevel {
  if (destructive === true) return 'critical';
  if (readOnly === true) return openWorld === false ? 'safe' : 'standard';
  return destructive === false ? 'standard' : 'critical';
}
