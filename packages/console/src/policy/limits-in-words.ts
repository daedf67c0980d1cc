/** Describes the limits of a policy in words, one line for each. */
import type { PolicyDocument } from '@mandate/schemas';
import { duration } from '../data/time.ts';

/** Returns the limits on amounts. Policies state amounts in dollars, and the lines show them unchanged. */
export function limitsInWords(policy: PolicyDocument): string[] {
  const { maxCostTotal, maxCostPerCall, maxTokensTotal, maxToolCallsTotal, rateLimit, expiresAt } = policy;
  const { budgets = [], tokensPerWindow = [], toolCallsPerWindow = [] } = policy;
  const per = (windowMs?: number) => (windowMs === undefined ? 'in all' : `in ${duration(windowMs)}`);
  const line = (value: unknown, text: string) => (value === undefined ? [] : [text]);
  return [
    ...line(maxCostTotal, `at most $${maxCostTotal} in all`),
    ...line(maxCostPerCall, `at most $${maxCostPerCall} a call`),
    ...budgets.map(
      ({ id, scope, max, windowMs }) => `budget ${id}: at most $${max} ${per(windowMs)} (${scope})`,
    ),
    ...line(rateLimit, `at most ${rateLimit?.maxCalls} calls ${per(rateLimit?.windowMs)}`),
    ...line(maxTokensTotal, `at most ${maxTokensTotal} tokens in all`),
    ...tokensPerWindow.map(
      ({ scope, maxTokens, windowMs }) => `at most ${maxTokens} tokens ${per(windowMs)} (${scope})`,
    ),
    ...line(maxToolCallsTotal, `at most ${maxToolCallsTotal} tool calls of models in all`),
    ...toolCallsPerWindow.map(
      ({ scope, maxToolCalls, windowMs }) =>
        `at most ${maxToolCalls} tool calls of models ${per(windowMs)} (${scope})`,
    ),
    ...line(expiresAt, `until ${expiresAt}`),
  ];
}
