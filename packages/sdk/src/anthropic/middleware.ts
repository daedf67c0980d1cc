/**
 * The middleware of Anthropic's SDK that puts each LLM call under a mandate. The SDK runs it for every HTTP attempt, with
 * the same options object for all attempts of a call. So one action covers the call with its retries.
 */
import type { Middleware } from '@anthropic-ai/sdk';
import { findMandateError, MandateBlockedError } from '../errors.ts';
import { outcomeOfDelivery } from '../model-calls/outcome-of-delivery.ts';
import { startCall } from '../model-calls/start-call.ts';
import { watchBody, withBody } from '../model-calls/watch-body.ts';
import type { Agent, RunningAction, RunningOutcome } from '../types.ts';
import { finalError } from './final-error.ts';
import { LogicalCall } from './logical-call.ts';
import { type AnthropicOptions, agentOptionsOf, type MandateLike } from './options.ts';
import { jsonReader, streamReader } from './read-answer.ts';
import { estimatedInputTokens, kindOf, type MessageRequest } from './requests.ts';
import { hasRetries, isRetried, latestRetryMs } from './retries.ts';

type Request = Parameters<Middleware>[0];

/**
 * Returns a middleware for `new Anthropic({ middleware: […] })`. Put it last, so that it sees what is sent.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function mandateMiddleware(mandate: MandateLike, options: AnthropicOptions = {}): Middleware {
  const agent = mandate.agent(agentOptionsOf(options));
  return middlewareOf(agent, options, () => options.maxRetries);
}

/** @param clientRetries how often the client retries. Undefined: as often as the SDK does by default. */
export function middlewareOf(
  agent: Agent,
  options: AnthropicOptions,
  clientRetries: () => number | undefined,
): Middleware {
  const calls = new WeakMap<object, LogicalCall>();
  return async (request, next, ctx) => {
    // A request for a token has no options.
    if (ctx.options === undefined) return next(request);
    const read = kindOf(request.url, request.method, request.body);
    if (read.kind === 'free') return next(request);
    if (read.kind === 'priced later') {
      if (options.pricedLater === 'allow') return next(request);
      throw finalError(pricedLater(agent.agentId, request.url));
    }
    let call = calls.get(ctx.options);
    if (call === undefined || call.isRunning) {
      call = new LogicalCall();
      calls.set(ctx.options, call);
    }
    const mayRetry = hasRetries(request.headers, ctx.options.maxRetries ?? clientRetries());
    const isUserAbort = () => ctx.options?.signal?.aborted === true;
    return attempt({ agent, call, options, request, message: read.request, next, mayRetry, isUserAbort });
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
  // The request is aborted without our reason, because the SDK retries every error that `fetch` throws.
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
    // The model may have read the input of a request that was aborted.
    const isAborted = request.signal?.aborted === true || signal.aborted;
    const usage = isAborted ? { usage: { inputTokens, outputTokens: 0 } } : {};
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
  { call }: Attempt,
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
      const { end, delivery } = reader.ended(how);
      await call.end(running, outcomeOfDelivery(end, delivery, inputTokens));
    },
  });
  return withBody(response, body);
}

async function start(
  { agent, options, request, message }: Attempt,
  actionId: string | undefined,
): Promise<RunningAction> {
  const { provider = 'anthropic', countTokens = estimatedInputTokens, principal, context } = options;
  try {
    const inputTokens = await counted(countTokens, message, agent.agentId);
    return await startCall(
      agent,
      {
        type: 'llm_call',
        provider,
        model: message.model,
        inputTokens,
        ...(message.maxTokens !== undefined && { maxOutputTokens: message.maxTokens }),
        options: {
          ...(principal !== undefined && { principal }),
          ...(context !== undefined && { context }),
          ...(options.parentActionId !== undefined && { parentActionId: options.parentActionId }),
          ...(actionId !== undefined && { actionId }),
        },
      },
      request.signal,
    );
  } catch (error) {
    throw error instanceof Error && findMandateError(error) !== null ? finalError(error) : error;
  }
}

async function counted(
  countTokens: NonNullable<AnthropicOptions['countTokens']>,
  message: MessageRequest,
  agentId: string,
): Promise<number> {
  try {
    return await countTokens(message);
  } catch (cause) {
    throw new MandateBlockedError('INTERNAL_ERROR', {
      reason: 'The tokens of the request could not be counted.',
      remedy: 'Nothing ran. Tell the operator of the agent.',
      action: { id: '', agentId, type: 'llm_call', model: message.model },
      decision: null,
      cause,
    });
  }
}

/** The reason of a kill, or of the end of the lease. */
function finalReason({ reason }: AbortSignal): unknown {
  return reason instanceof Error ? finalError(reason) : reason;
}

function pricedLater(agentId: string, url: string): MandateBlockedError {
  const { pathname } = new URL(url, 'http://localhost');
  return new MandateBlockedError('INVALID_ACTION', {
    reason: `No price is known for the request to ${pathname} before it is done.`,
    remedy: 'Make single calls. Or set `pricedLater: "allow"`: such requests are then sent without a charge.',
    action: { id: '', agentId, type: 'llm_call', model: '' },
    decision: null,
  });
}
