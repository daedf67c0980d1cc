/**
 * The life of a call of a model: it is read, decided, sent to its upstream, passed back and settled. If an upstream is
 * away before the client got a byte, the next one is asked. Another model is another action, with its own decision.
 */
import { type ModelRequest, RunningCall } from '@mandate/sdk/proxy';
import { callerOf, type HttpReply, type HttpRequest, takeRawBody } from '@mandate/server';
import { agentOfRequest, type NamedAgent } from '../callers/agent-of-request.ts';
import type { CallerPlane } from '../callers/caller-planes.ts';
import { countedBy } from '../measures.ts';
import { type ModelGateway, planesOf } from '../model-gateway.ts';
import type { ProtocolName } from '../models/models-shape.ts';
import type { Target } from '../models/route-model.ts';
import { protocols } from '../protocols.ts';
import { refusalOfError } from '../refusals/refusal-of-error.ts';
import { type Body, readBody } from '../requests/read-body.ts';
import { attempt, isAway } from './attempt.ts';
import { billedAt, estimateOf } from './billed-price.ts';
import { type Client, clientOf } from './client-of-reply.ts';
import { findRoute } from './find-route.ts';
import { passAnswer } from './pass-answer.ts';
import { queryOf, upstreamAway } from './sent-request.ts';

export type ClientCall = {
  gateway: ModelGateway;
  protocol: ProtocolName;
  /** The path after the base URL of the provider's SDK. */
  path: string;
  request: HttpRequest;
  reply: HttpReply;
};

/** A call that one upstream may answer. */
type Started = { target: Target; call: RunningCall<ModelRequest> };

/** @throws HttpProblem, before the client got a byte */
export async function governCall(given: ClientCall): Promise<void> {
  const { gateway, protocol, request } = given;
  const body = readBody(takeRawBody(request));
  const agent = agentOfRequest(request.headers, callerOf(request));
  const targets = findRoute(gateway.models(), protocol, body.fields.model);
  const plane = planesOf(gateway).of(request);
  const client = clientOf(given.reply.raw);
  try {
    await gateway.calls.run(() => callFirst({ ...given, body, agent, plane, client }, targets));
  } catch (error) {
    if (!client.left.aborted) throw refusalOfError(error);
    // The client has gone, so there is nobody to answer.
    given.reply.hijack();
  }
}

type Call = ClientCall & { body: Body; agent: NamedAgent; plane: CallerPlane; client: Client };

/** Asks the upstreams in turn, until one is not away. */
async function callFirst(given: Call, targets: readonly [Target, ...Target[]]): Promise<void> {
  let started = await start(given, targets[0], 0);
  for (const [at, target] of targets.entries()) {
    const next = targets[at + 1];
    if (!isSameCall(started.target, target)) {
      await started.call.failed();
      started = await start(given, target, at);
    }
    const isLast = await callOne(given, { ...started, target }, next === undefined);
    if (isLast) return;
  }
}

/** Whether a call needs no other decision if this upstream answers instead of that one. */
function isSameCall(one: Target, other: Target): boolean {
  return (
    one.model === other.model &&
    one.price === other.price &&
    one.upstream.provider === other.upstream.provider &&
    one.upstream.streamUsage === other.upstream.streamUsage
  );
}

/** @param at which of the upstreams it is. A later one is asked for an action of its own */
async function start(
  { gateway, protocol, path, body, agent, plane, client }: Call,
  target: Target,
  at: number,
): Promise<Started> {
  const { upstream, model, price } = target;
  const { agentId } = agent;
  const planned = await protocols[protocol].plan(
    { path, body: body.fields },
    { agentId, includeUsage: upstream.streamUsage },
  );
  if (planned === null) throw new TypeError(`${path} is a route of the gateway, and no call of its protocol`);
  const { inputTokens, maxOutputTokens } = planned;
  const options = { ...agent.options, ...estimateOf(price, planned) };
  const key = options.idempotencyKey;
  if (key !== undefined && at > 0) options.idempotencyKey = `${key}:${at}`;
  const action = await plane.start(
    { agentId, options },
    {
      provider: upstream.provider,
      model,
      inputTokens,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    client.left,
  );
  return {
    target,
    call: new RunningCall(planned, countedBy(gateway.measures, target, billedAt(price, action)), null),
  };
}

/**
 * Returns true if the client has its answer.
 *
 * @throws HttpProblem if no upstream answered, or the call was stopped
 */
async function callOne(given: Call, { target, call }: Started, isLast: boolean): Promise<boolean> {
  const { gateway, body, client, path, request } = given;
  const { planned, action } = call;
  const { measures, upstreams, calls, log } = gateway;
  const stop = AbortSignal.any([action.signal, calls.stop]);
  call.attempted();
  const sent = await attempt(upstreams, target, {
    path: path + queryOf(request.url),
    rawHeaders: request.raw.rawHeaders,
    body: bodyFor(target, body, planned),
    // An answer that is no stream is read to its end without its client too.
    signal: planned.isStream ? AbortSignal.any([stop, client.left]) : stop,
  });
  if (sent.kind === 'answered') {
    const { answer, ms } = sent;
    measures.firstByte(target, ms);
    if (isLast || !isAway(answer)) {
      const end = await passAnswer({
        ...{ ...given, target, answer, stop },
        watch: (isEvents) => protocols[given.protocol].watch(call, isEvents),
        isChanged: planned.hidesUsage,
        failed: () => call.failed(),
        actionId: action.action.id,
      });
      measures.ended(target, end);
      return true;
    }
    answer.destroy();
    measures.ended(target, 'failed');
    return false;
  }
  if (sent.kind === 'unanswered') call.unanswered();
  const end = stop.aborted ? 'stopped' : client.left.aborted ? 'left' : 'away';
  measures.ended(target, end);
  if (end === 'away')
    log.warn({ err: sent.error, upstream: target.upstream.name }, 'an upstream gave no answer');
  if (end === 'away' && !isLast) return false;
  await call.failed();
  if (end === 'stopped') throw stop.reason;
  throw upstreamAway(target);
}

/** Returns the body for the upstream: with its own name of the model, and the question for usage. */
function bodyFor({ model }: Target, body: Body, { hidesUsage }: ModelRequest): Uint8Array {
  const { model: stated, stream_options } = body.fields;
  return body.with({
    ...(model !== stated && { model }),
    ...(hidesUsage && { stream_options: { ...asObject(stream_options), include_usage: true } }),
  });
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
