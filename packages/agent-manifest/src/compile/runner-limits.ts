/** The limits that only the runner can enforce. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import type { RunLimits, Throttle } from './compiled.ts';
import type { Member } from './family.ts';

const RETRIES = 3;

export function runLimits({ policy = {} }: AgentManifest): RunLimits {
  const { max_retries: retries = RETRIES, max_steps: maxSteps, timeout } = policy;
  return {
    attempts: 1 + retries,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(timeout !== undefined && { timeoutMs: timeout * 1_000 }),
  };
}

export function throttleOf({ entry }: Member): Throttle | null {
  const constraints = entry?.definition.resources?.constraints;
  if (constraints === undefined) return null;
  const { context_window_size, max_output_tokens, rate_limit_tpm } = constraints;
  return {
    contextWindow: context_window_size,
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(rate_limit_tpm !== undefined && { tokensPerMinute: rate_limit_tpm }),
  };
}
