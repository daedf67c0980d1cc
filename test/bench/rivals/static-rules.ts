/**
 * The rules of the bench mandate that an engine without a ledger can check: the rules on names and on the cost of one
 * call. `rulesIn` reads them from the mandate document, so that all engines get the same rules.
 */
import { type Action, subjectOf } from '@mandate/schemas';

export type StaticRules = {
  maxCostMicros: number;
  allowedTools: readonly string[];
  deniedTools: readonly string[];
  allowedModels: readonly string[];
};

/** An engine without a ledger. It returns true if it permits an action with a known cost. */
export type StaticEngine = {
  what: string;
  permits(action: Action, costMicros: number): boolean;
};

/** @param document made by `mandateDocument` */
export function rulesIn(document: object): StaticRules {
  const { maxCostPerCall, ...rules } = document as Omit<StaticRules, 'maxCostMicros'> & {
    maxCostPerCall: number;
  };
  return { ...rules, maxCostMicros: maxCostPerCall * 1_000_000 };
}

export function nameIn(action: Action): string {
  return subjectOf(action);
}
