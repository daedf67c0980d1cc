/** A call that the provider does not bill, such as the count of tokens. It is forwarded without a decision. */
import { callerOf, takeRawBody } from '@mandate/server';
import { agentOfRequest } from '../callers/agent-of-request.ts';
import { readBody } from '../requests/read-body.ts';
import { attempt } from './attempt.ts';
import { clientOf } from './client-of-reply.ts';
import { findRoute } from './find-route.ts';
import type { ClientCall } from './govern-call.ts';
import { passAnswer } from './pass-answer.ts';
import { queryOf, upstreamAway } from './sent-request.ts';

/** @throws HttpProblem, before the client got a byte */
export async function forwardFree(given: ClientCall): Promise<void> {
  const { gateway, protocol, request, reply, path } = given;
  const { measures, upstreams, calls, log } = gateway;
  const body = readBody(takeRawBody(request));
  agentOfRequest(request.headers, callerOf(request));
  const [target] = findRoute(gateway.models(), protocol, body.fields.model);
  const client = clientOf(reply.raw);
  await calls.run(async () => {
    const stop = AbortSignal.any([client.left, calls.stop]);
    const sent = await attempt(upstreams, target, {
      path: path + queryOf(request.url),
      rawHeaders: request.raw.rawHeaders,
      body: body.with({ model: target.model }),
      signal: stop,
    });
    if (sent.kind !== 'answered') {
      measures.ended(target, client.left.aborted ? 'left' : 'away');
      log.warn({ err: sent.error, upstream: target.upstream.name }, 'an upstream gave no answer');
      throw upstreamAway(target);
    }
    const nothing = async () => {};
    const end = await passAnswer({
      ...{ gateway, protocol, path, reply, client, target, answer: sent.answer, stop },
      watch: () => ({ take: async (bytes) => bytes, end: nothing }),
      ...{ isChanged: false, failed: nothing, actionId: null },
    });
    measures.ended(target, end);
  });
}
