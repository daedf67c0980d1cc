/**
 * The middleware of Anthropic's SDK that puts each LLM call under a mandate. The SDK runs it for every HTTP attempt, with
 * the same options object for all attempts of a call. So one action covers the call with its retries.
 */

import type { Middleware } from '@anthropic-ai/sdk';
import { isUnsent } from '@mandate/runtime';
import type { AgentSource } from '../adapters/agent-source.ts';
import { classifyPath, ungovernedCall } from '../adapters/classify-path.ts';
import { countedTokens } from '../adapters/count-tokens.ts';
import { outcomeOfDelivery } from '../adapters/outcome-of-delivery.ts';
import { startCall } from '../adapters/start-call.ts';
import { watchBody, withBody } from '../adapters/watch-body.ts';
import { findMandateError } from '../errors.ts';
import type { Agent, RunningAction, RunningOutcome } from '../types.ts';
import { finalError } from './final-error.ts';
import { LogicalCall } from './logical-call.ts';
import type { AnthropicOptions } from './options.ts';
import { jsonReader, streamReader } from './read-answer.ts';
import {
  ANTHROPIC_PATHS,
  estimatedInputTokens,
  type MessageRequest,
  messageRequestOf,
  pathOf,
} from './requests.ts';
import { hasRetries, isRetried, latestRetryMs } from './retries.ts';

type Request = Parameters<Middleware>[0];

/**
 * Returns a middleware for `new Anthropic({ middleware: […] })`. Put it last, so that it sees what is sent.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateMiddleware(mandate: AgentSource, options: AnthropicOptions = {}): Middleware {
  const agent = mandate.agent(options);
  return middlewareOf(agent, options, () => options.maxRetries);
}

/** @param clientRetries how often the client retries. Undefined: as often as by the SDK's default. */
export function middlewareOf(
  agent: Agent,
  options: AnthropicOptions,
  clientRetries: () => number | undefined,
): Middleware {
  const calls = new WeakMap<object, LogicalCall>();
  return async (request, next, ctx) => {
    // A request for an access token has no options.
    if (ctx.options === undefined) return next(request);
    const path = pathOf(request.url);
    const { class: found } = classifyPath(
      ANTHROPIC_PATHS,
      { method: request.method, path },
      options.ungoverned,
    );
    if (found === 'free') return next(request);
    if (found === 'refused') throw finalError(ungovernedCall(agent.agentId, path, 'Make single calls.'));
    const message = messageRequestOf(request.body);
    let call = calls.get(ctx.options);
    if (call === undefined || call.isRunning) {
      call = new LogicalCall();
      calls.set(ctx.options, call);
    }
    const mayRetry = hasRetries(request.headers, ctx.options.maxRetries ?? clientRetries());
    const isUserAbort = () => ctx.options?.signal?.aborted === true;
    return attempt({ agent, call, options, request, message, next, mayRetry, isUserAbort });
  };
}

type Attempt = {
  agent: Agent;
  call: LogicalCall;
  options: AnthropicOptions;
  request: Request;
  message: MessageRequest;
  next: Parameters<Middleware>[1];
  mayRetry: boolean;
  isUserAbort: () => boolean;
};

async function attempt(given: Attempt): Promise<Response> {
  const { call, request, next, mayRetry, isUserAbort } = given;
  const running = await call.attempt((actionId) => start(given, actionId));
  const { signal } = running;
  const inputTokens = running.action.type === 'llm_call' ? (running.action.inputTokens ?? 0) : 0;
  // With our reason, `fetch` would throw the reason as an error, and the SDK would retry the request.
  const stop = new AbortController();
  const onStop = () => stop.abort();
  signal.addEventListener('abort', onStop, { once: true });
  const fail = async (outcome: RunningOutcome, isLast: boolean, response: Response | null) => {
    signal.removeEventListener('abort', onStop);
    if (isLast || signal.aborted) await call.end(running, outcome);
    else call.wait(running, outcome, latestRetryMs(response));
  };
  if (signal.aborted) {
    // The call was stopped while the SDK waited for its next attempt.
    await call.end(running, { status: 'failure' });
    throw finalReason(signal);
  }
  let response: Response;
  try {
    const signals = [request.signal, stop.signal].filter((one) => one !== null && one !== undefined);
    response = await next({ ...request, signal: AbortSignal.any(signals) });
  } catch (error) {
    // The model may have read the input of a request that reached it.
    const usage = isUnsent(error) ? {} : { usage: { inputTokens, outputTokens: 0 } };
    await fail({ status: 'failure', ...usage }, !mayRetry || isUserAbort(), null);
    if (signal.aborted) throw finalReason(signal);
    throw error;
  }
  if (!response.ok) {
    await fail({ status: 'failure' }, !mayRetry || !isRetried(response), response);
    return response;
  }
  return watched(given, running, response, inputTokens, () => signal.removeEventListener('abort', onStop));
}

/** Returns the answer. The call is settled when its body ends. */
function watched(
  { call, isUserAbort }: Attempt,
  running: RunningAction,
  response: Response,
  inputTokens: number,
  release: () => void,
): Response {
  if (response.body === null) {
    release();
    call.end(running, { status: 'success' });
    return response;
  }
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const reader = isStream ? streamReader() : jsonReader();
  const body = watchBody(response.body, {
    piece: reader.piece,
    signal: running.signal,
    end: async (how) => {
      release();
      // After an abort, the SDK may also cancel the body, as a reader does.
      const { end, delivery } = reader.ended(how === 'left' && isUserAbort() ? 'broken' : how);
      await call.end(running, outcomeOfDelivery(end, delivery, inputTokens));
    },
  });
  return withBody(response, body);
}

async function start(
  { agent, options, request, message }: Attempt,
  actionId: string | undefined,
): Promise<RunningAction> {
  const { provider = 'anthropic', countTokens = estimatedInputTokens } = options;
  const { model, maxTokens } = message;
  try {
    const inputTokens = await countedTokens(() => countTokens(message), { agentId: agent.agentId, model });
    return await startCall(
      agent,
      {
        type: 'llm_call',
        provider,
        model,
        inputTokens,
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        ...(actionId !== undefined && { options: { actionId } }),
      },
      request.signal,
    );
  } catch (error) {
    throw error instanceof Error && findMandateError(error) !== null ? finalError(error) : error;
  }
}

/** The reason of a kill, or of the end of the lease. */
function finalReason({ reason }: AbortSignal): unknown {
  return reason instanceof Error ? finalError(reason) : reason;
}
