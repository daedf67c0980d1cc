/**
 * A webhook receiver as a user would write it. It checks signatures with its own code, not with code of the alerter.
 */

import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { onTestFinished } from 'vitest';

export type Received = {
  id: string;
  /** When the request arrived, in milliseconds since the start of the process. */
  cameMs: number;
  type: string;
  data: {
    id: string;
    rule: string;
    tenant: string | null;
    subject: string;
    message: string;
    facts: Record<string, unknown>;
    link?: string;
  };
};

type Answer = { status: number; headers?: Record<string, string> } | 'hang';

/** Returns the answer to request number `n`, counted from 1; `hang` means no answer. */
export type Answers = (n: number) => Answer | Promise<Answer>;

export type Receiver = {
  url: string;
  secret: string;
  received: Received[];
  /** The ids of requests with a wrong signature. */
  forged: string[];
  answers: Answers;
};

export async function startReceiver(answers: Answers = () => ({ status: 204 })): Promise<Receiver> {
  const secret = `whsec_${Buffer.from(webcrypto.getRandomValues(new Uint8Array(32))).toString('base64')}`;
  const receiver: Receiver = { url: '', secret, received: [], forged: [], answers };
  let count = 0;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const id = String(request.headers['webhook-id']);
    if (await isGenuine(secret, request.headers, body)) {
      receiver.received.push({ id, cameMs: performance.now(), ...JSON.parse(body) });
    } else {
      receiver.forged.push(id);
    }
    count += 1;
    const answer = await receiver.answers(count);
    if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  receiver.url = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/hook`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

/** True if the signature is right by the Standard Webhooks specification. */
async function isGenuine(secret: string, headers: IncomingHttpHeaders, body: string): Promise<boolean> {
  const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) =>
    String(headers[`webhook-${name}`]),
  );
  if (Math.abs(Date.now() / 1_000 - Number(time)) > 300) return false;
  const key = await webcrypto.subtle.importKey(
    'raw',
    Uint8Array.from(atob(secret.replace('whsec_', '')), (letter) => letter.charCodeAt(0)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  const checks = (given ?? '').split(' ').map((one) => {
    const [version, signature = ''] = one.split(',');
    const bytes = Uint8Array.from(atob(signature), (letter) => letter.charCodeAt(0));
    return version === 'v1' ? webcrypto.subtle.verify('HMAC', key, bytes, signed) : Promise.resolve(false);
  });
  return (await Promise.all(checks)).includes(true);
}
