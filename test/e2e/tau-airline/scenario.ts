/** The shape of the data set: the calls, the mandates, and the expected results. */
import type { Json } from '@mandate/schemas';

export type ScenarioMandate = {
  allowedTools?: string[];
  deniedTools?: string[];
  maxCalls?: number;
  maxCostTotal?: number;
  maxCostPerCall?: number;
  argumentMax?: Record<string, Record<string, number>>;
};

/**
 * The expected results of a scenario. `sequenceSha256` is the hash of the decisions in the order of the file, joined
 * by newlines.
 */
export type Scenario = {
  mandate: ScenarioMandate;
  decisions: Record<string, number>;
  agentsWithABlock: number;
  allowedCostMicros: number;
  sequenceSha256: string;
};

export type ToolCall = { agentId: string; tool: string; args: Record<string, Json> };

export type Dataset = {
  origin: string;
  calls: ToolCall[];
  tools: string[];
  scenarios: Record<string, Scenario>;
};

/** Returns the cost of a call in micro-dollars, by the rule of the data set. */
export function costOf(tool: string): number {
  if (/^(book|cancel|update|send)_/.test(tool)) return 100_000;
  if (/^search_/.test(tool)) return 20_000;
  return /^(get|list)_/.test(tool) ? 10_000 : 0;
}
