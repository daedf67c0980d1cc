/** The record of one request, and what goes into it. Skipped requests have one too. */

import type { ContextManifest } from './manifest.ts';
import type { Person } from './model.ts';
import type { AnswerFault } from './read-answer.ts';
import type { ContextSizes } from './sent-context.ts';
import type { SkipReason } from './skip.ts';

/**
 * Why a build failed.
 * - `BLOCKED`: the plane refused the call, or wants to ask a person. `detail` is the code of its decision.
 * - `UNDECIDED`: there was no decision, so no call was made.
 * - `TIMEOUT`: decision and call together took too long.
 * - `PROVIDER_ERROR`: the provider failed. `detail` is the HTTP status, if it answered.
 * - `CANCELLED`: the caller gave up.
 * - `INTERNAL_ERROR`: the builder itself failed.
 */
export type BuildErrorCode =
  | AnswerFault
  | 'BLOCKED'
  | 'UNDECIDED'
  | 'TIMEOUT'
  | 'PROVIDER_ERROR'
  | 'CANCELLED'
  | 'INTERNAL_ERROR';

export type BuildError = { code: BuildErrorCode; detail?: string };

/** The whole conversation with the model. It is recorded only on demand. */
export type PromptDebug = { system_prompt: string; user_prompt: string; raw_response: string | null };

export type BuilderStep = {
  enabled: boolean;
  skipped: boolean;
  skip_reason: SkipReason | null;
  template_key: string;
  /** Null: the request was skipped. */
  input: ContextSizes | null;
  output: ContextManifest | null;
  /** Null: the request was skipped. */
  latency_ms: number | null;
  prompt_debug: PromptDebug | null;
  error: BuildError | null;
};

export type BuildRecord = {
  requestId: string;
  agentId: string;
  /** The action of the model call. Null: no decision names one. */
  actionId: string | null;
  parentActionId: string | null;
  principal: Person | null;
  /** RFC 3339, in UTC. */
  builtAt: string;
  steps: { manifest_builder: BuilderStep };
};
