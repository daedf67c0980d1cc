/**
 * Picks the context of one message with one governed model call. It never throws, and never waits longer than its time
 * limit: if it fails, the chat goes on without a manifest.
 */
import {
  type BuildError,
  type BuilderStep,
  type BuildRecord,
  newRecordId,
  type PromptDebug,
  recordable,
} from './build-record.ts';
import { isEnabledIn } from './flag.ts';
import type { ContextManifest } from './manifest.ts';
import type { BuilderModel, ModelAnswer, ModelCall, Person } from './model.ts';
import { ANSWER_SCHEMA, SYSTEM_PROMPT, TEMPLATE_KEY, userPrompt } from './prompts.ts';
import { readAnswer } from './read-answer.ts';
import { nameOf, personOf } from './record-names.ts';
import { type ContextRequest, type ContextSizes, cutContext } from './sent-context.ts';
import { skipReasonOf } from './skip.ts';
import { systemTiming, type Timing } from './timing.ts';

export type BuilderRequest = ContextRequest & {
  /** The channel of the chat. Its template `none` turns the builder off. */
  channel?: { scratchpad_template?: string | undefined } | null | undefined;
  /** Whether this turn answers a question of the agent about an earlier turn. Such a turn needs no manifest. */
  clarificationTurn?: boolean | undefined;
  /** The id of the request in the record. Default: a new id. */
  requestId?: string | undefined;
  /** The action of the main call, if there is one. */
  parentActionId?: string | undefined;
  /** The person that the main agent acts for. The plane forgets the record together with this person. */
  principal?: Person | undefined;
  /** Aborts the build, for example when the user leaves. */
  signal?: AbortSignal | undefined;
};

export type BuilderConfig = {
  /** Default: true. The environment can turn the builder off too: `ENABLE_MANIFEST_BUILDER=false`. */
  enabled?: boolean | undefined;
  /** How long the decision and the call together may take, in milliseconds. Default: 2,000. */
  timeoutMs?: number | undefined;
  /** Records the prompts and the answer too. Default: false, because they contain the whole conversation. */
  promptDebug?: boolean | undefined;
};

export type BuildFailure = BuildError & { requestId: string };

export type BuilderDeps = {
  /** The governed model: `anthropicModel(…)` or `openaiModel(…)`. */
  model: BuilderModel;
  config?: BuilderConfig;
  /**
   * Is called with the record of each request. It must not wait: `contextRecords(…)` sends records in the background.
   */
  record?: (record: BuildRecord) => void;
  /** Gets each failure. Default: `console.warn`. */
  warn?: (failure: BuildFailure) => void;
  timing?: Timing;
};

/** The facts of the model call, for debugging. */
type LlmCall = {
  provider: string;
  model: string;
  max_tokens: number;
  temperature: number | null;
  action_id: string | null;
  latency_ms: number;
};

export type BuiltContext = {
  manifest: ContextManifest;
  _prompts: {
    system_prompt: string;
    user_prompt: string;
    template_key: string;
    context_sizes: ContextSizes;
    llm_call: LlmCall;
    raw_response: string;
  };
};

const TIMEOUT_MS = 2_000;
const LONGEST_TIMEOUT_MS = 60_000;
const MOST_DETAIL_UNITS = 300;

/** Returns the manifest and its prompts. Null: the request was skipped, or the build failed. Never throws. */
export async function runManifestBuilder(
  request: BuilderRequest,
  deps: BuilderDeps,
): Promise<BuiltContext | null> {
  const { built, record } = await build(request, deps).catch((cause: unknown) =>
    broken(request, deps, cause),
  );
  const { error } = record.steps.manifest_builder;
  if (deps?.record !== undefined) quietly(deps.record, record);
  if (error !== null) quietly(deps?.warn ?? warnOnConsole, { ...error, requestId: record.requestId });
  return built;
}

type Build = { built: BuiltContext | null; record: BuildRecord };

/** The builder itself failed, for example because a field of the request is not text. */
function broken(request: BuilderRequest, deps: BuilderDeps, cause: unknown): Build {
  const error: BuildError = { code: 'INTERNAL_ERROR', detail: wordsOf(cause) };
  return { built: null, record: recordOf(request, deps, { error, latency_ms: 0 }, null) };
}

function wordsOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, MOST_DETAIL_UNITS);
}

function recordOf(
  request: BuilderRequest,
  deps: BuilderDeps,
  step: Partial<BuilderStep>,
  actionId: string | null,
): BuildRecord {
  const nowMs = Date.now();
  return {
    id: newRecordId(nowMs),
    requestId: nameOf(request?.requestId) ?? crypto.randomUUID(),
    agentId: deps?.model?.agentId ?? '',
    actionId,
    parentActionId: nameOf(request?.parentActionId) ?? null,
    principal: personOf(request?.principal),
    builtAt: new Date(nowMs).toISOString(),
    steps: { manifest_builder: { ...NO_STEP, ...step } },
  };
}

async function build(request: BuilderRequest, deps: BuilderDeps): Promise<Build> {
  const { model, config = {}, timing = systemTiming } = deps;
  const enabled = config.enabled !== false && isEnabledIn();
  const skipReason = skipReasonOf(enabled, request);
  if (skipReason !== null) {
    const step = { enabled, skipped: true, skip_reason: skipReason };
    return { built: null, record: recordOf(request, deps, step, null) };
  }

  const { sent, sizes } = cutContext(request);
  const prompts = { system_prompt: SYSTEM_PROMPT, user_prompt: userPrompt(sent) };
  const { answer, actionId, latencyMs } = await askInTime(prompts, { request, model, config, timing });
  const { manifest, error } = resultOf(answer);
  const raw_response = answer.outcome === 'answered' ? answer.text : null;
  const debug = config.promptDebug === true ? debugOf(prompts, raw_response) : null;
  const step = { input: sizes, output: manifest, latency_ms: latencyMs, prompt_debug: debug, error };
  const record = recordOf(request, deps, step, actionId);
  if (manifest === null) return { built: null, record };
  const { provider, model: name, maxTokens, temperature } = model;
  const llm_call = {
    ...{ provider, model: name, max_tokens: maxTokens, temperature },
    ...{ action_id: actionId, latency_ms: latencyMs },
  };
  return {
    built: {
      manifest,
      _prompts: {
        ...prompts,
        template_key: TEMPLATE_KEY,
        context_sizes: sizes,
        llm_call,
        raw_response: raw_response ?? '',
      },
    },
    record,
  };
}

/** The whole conversation, up to the size that fits into a record. */
function debugOf(
  { system_prompt, user_prompt }: { system_prompt: string; user_prompt: string },
  raw: string | null,
): PromptDebug {
  return {
    system_prompt,
    user_prompt: recordable(user_prompt),
    raw_response: raw === null ? null : recordable(raw),
  };
}

const NO_STEP: BuilderStep = {
  enabled: true,
  skipped: false,
  skip_reason: null,
  template_key: TEMPLATE_KEY,
  input: null,
  output: null,
  latency_ms: null,
  prompt_debug: null,
  error: null,
};

/** An answer of the model, or the end of the wait for it. */
type Answer = ModelAnswer | { outcome: 'late' } | { outcome: 'broken'; cause: unknown };

type Asking = {
  request: BuilderRequest;
  model: BuilderModel;
  config: BuilderConfig;
  timing: Timing;
};

/** Asks the model, and aborts the call when the time is over or the caller gives up. */
async function askInTime(
  prompts: { system_prompt: string; user_prompt: string },
  { request, model, config, timing }: Asking,
): Promise<{ answer: Answer; actionId: string | null; latencyMs: number }> {
  const timeoutMs = timeoutOf(config);
  const beganAt = timing.now();
  const stop = new AbortController();
  const ended = Promise.withResolvers<Answer>();
  const end = (answer: Answer) => {
    ended.resolve(answer);
    stop.abort();
  };
  const onLeave = () => end({ outcome: 'cancelled' });
  const stopTimer = timing.after(timeoutMs, () => end({ outcome: 'late' }));
  let actionId: string | null = null;
  try {
    request.signal?.addEventListener('abort', onLeave, { once: true });
    if (request.signal?.aborted === true) onLeave();
    const asked = stop.signal.aborted
      ? ended.promise
      : asking(model, {
          systemPrompt: prompts.system_prompt,
          userPrompt: prompts.user_prompt,
          answerSchema: ANSWER_SCHEMA,
          parentActionId: request.parentActionId,
          principal: request.principal,
          signal: stop.signal,
          onAction: (id) => {
            actionId = id;
          },
        });
    const answer = await Promise.race([ended.promise, asked]);
    const latencyMs = Math.min(timeoutMs, Math.round(timing.now() - beganAt));
    // If the process was busy, the timer may be late too.
    const isLate = latencyMs >= timeoutMs && answer.outcome !== 'cancelled';
    return { answer: isLate ? { outcome: 'late' } : answer, actionId, latencyMs };
  } finally {
    stopTimer();
    request.signal?.removeEventListener('abort', onLeave);
  }
}

/** Never rejects, so that an answer after the end of the time needs no handler. */
async function asking(model: BuilderModel, call: ModelCall): Promise<Answer> {
  try {
    return await model.ask(call);
  } catch (cause) {
    return { outcome: 'broken', cause };
  }
}

function timeoutOf({ timeoutMs = TIMEOUT_MS }: BuilderConfig): number {
  return timeoutMs > 0 ? Math.min(timeoutMs, LONGEST_TIMEOUT_MS) : TIMEOUT_MS;
}

type Result = { manifest: ContextManifest; error: null } | { manifest: null; error: BuildError };

function resultOf(answer: Answer): Result {
  switch (answer.outcome) {
    case 'answered': {
      const { manifest, fault } = readAnswer(answer);
      return manifest === null ? failed({ code: fault }) : { manifest, error: null };
    }
    case 'blocked':
      return failed({ code: 'BLOCKED', detail: answer.code });
    case 'undecided':
      return failed({ code: 'UNDECIDED' });
    case 'failed':
      return failed({
        code: 'PROVIDER_ERROR',
        ...(answer.status !== null && { detail: String(answer.status) }),
      });
    case 'cancelled':
      return failed({ code: 'CANCELLED' });
    case 'late':
      return failed({ code: 'TIMEOUT' });
    case 'broken':
      return failed({ code: 'INTERNAL_ERROR', detail: wordsOf(answer.cause) });
  }
}

function failed(error: BuildError): Result {
  return { manifest: null, error };
}

/** Calls a function of the program. Its error must not stop the chat. */
function quietly<T>(handler: (given: T) => void, given: T): void {
  try {
    handler(given);
  } catch (error) {
    console.warn('mandate: a handler of the context builder failed:', error);
  }
}

function warnOnConsole({ code, detail, requestId }: BuildFailure): void {
  console.warn(
    `mandate: no context manifest for ${requestId}: ${code}${detail === undefined ? '' : ` ${detail}`}`,
  );
}
