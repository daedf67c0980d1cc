/** Passes the answer of an upstream to the client, whatever its status. */
import type { IncomingMessage } from 'node:http';
import type { AnswerWatcher } from '@mandate/sdk/proxy';
import { HttpProblem, type HttpReply } from '@mandate/server';
import type { CallEnd } from '../measures.ts';
import type { ModelGateway } from '../model-gateway.ts';
import type { ProtocolName } from '../models/models-shape.ts';
import type { Target } from '../models/route-model.ts';
import { errorEvent } from '../refusals/provider-errors.ts';
import { refusalOfError } from '../refusals/refusal-of-error.ts';
import { headersForClient } from '../requests/forwarded-headers.ts';
import type { Client } from './client-of-reply.ts';
import { relayAnswer } from './relay-answer.ts';

export type Passed = {
  gateway: Pick<ModelGateway, 'log'>;
  protocol: ProtocolName;
  path: string;
  reply: HttpReply;
  client: Client;
  target: Target;
  answer: IncomingMessage;
  stop: AbortSignal;
  /** Returns the watcher of an answer with success. */
  watch: (isEvents: boolean) => AnswerWatcher;
  /** Whether the watcher changes the bytes of a stream. */
  isChanged: boolean;
  /** Settles the call after an error of the upstream, which costs nothing. */
  failed: () => Promise<void>;
  /** Null: the call needs no decision. */
  actionId: string | null;
};

/** @throws HttpProblem if the upstream does not accept the key of the gateway */
export async function passAnswer(passed: Passed): Promise<CallEnd> {
  const { gateway, protocol, path, reply, client, target, answer, stop } = passed;
  const { watch, isChanged, failed, actionId } = passed;
  const { statusCode = 502, statusMessage = '', rawHeaders, headers } = answer;
  if (statusCode === 401) {
    answer.destroy();
    await failed();
    gateway.log.error({ upstream: target.upstream.name }, 'an upstream refuses the key of the gateway');
    throw keyRefused(target);
  }
  const isSuccess = statusCode >= 200 && statusCode < 300;
  const isEvents = headers['content-type']?.includes('text/event-stream') === true;
  reply.hijack();
  client.begin(statusCode, statusMessage, [
    ...headersForClient(rawHeaders, isChanged && isEvents),
    ...(actionId === null ? [] : ['x-mandate-action', encodeURIComponent(actionId)]),
  ]);
  const end = await relayAnswer({
    ...{ answer, isEvents, client, stop },
    watcher: isSuccess ? watch(isEvents) : { take: async (bytes) => bytes, end: failed },
    stoppedEvent: () => errorEvent(protocol, path, stopRefusal(stop)),
    idleMs: target.upstream.idleMs,
  });
  if (end === 'finished') return isSuccess ? 'answered' : 'failed';
  return stop.aborted ? 'stopped' : end;
}

function stopRefusal({ reason }: AbortSignal): HttpProblem {
  const refusal = refusalOfError(reason);
  if (refusal instanceof HttpProblem) return refusal;
  return new HttpProblem(503, 'STOPPING', 'the call was stopped', { remedy: 'Try again.' });
}

/** The message of the upstream may contain a part of the key, so the client does not get it. */
function keyRefused({ upstream }: Target): HttpProblem {
  return new HttpProblem(
    502,
    'UPSTREAM_UNAVAILABLE',
    `the upstream ${upstream.name} refuses the key of this gateway`,
    { remedy: 'Tell the operator: the key of the upstream in models.yaml is wrong.' },
  );
}
