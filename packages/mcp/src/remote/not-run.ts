/** Failed answers of a server over HTTP that did not run the request. */
import type { IncomingMessage } from 'node:http';
import { didNotRun } from '../http/failed-answers.ts';
import type { Bodies } from '../http/read-body.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import { errorFrame } from '../messages/write-message.ts';
import { messageOfFailure } from './read-answer.ts';

type Fault = { code: number; message: string; data?: object };

const INTERNAL = -32603;

/** The server did not run the request. `fault`: the error that the client gets. */
export class NotRun extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message);
    this.name = 'NotRun';
    this.fault = fault;
  }

  frame(id: string): string {
    return errorFrame(id, this.fault);
  }
}

/** Returns the meaning of a failed answer: `NotRun`, or another error if the server may have run the request. */
export async function errorOf(answer: IncomingMessage, bodies: Bodies): Promise<Error> {
  const { statusCode: status = 0 } = answer;
  const data = { status };
  if (status === 401 || status === 403) {
    answer.destroy();
    return new NotRun({
      ...{ code: INTERNAL, data },
      message: `The server asks for a login (status ${status}). A login by OAuth cannot pass over stdio. Serve over HTTP with --listen, or send a token with --header.`,
    });
  }
  if (status >= 300 && status < 400) {
    answer.destroy();
    return new NotRun({
      ...{ code: INTERNAL, data },
      message: `The server redirects to another address (status ${status}), and the proxy does not follow. Give --upstream the new address.`,
    });
  }
  const message = `The server answered with status ${status}.`;
  if (!didNotRun(answer)) {
    answer.destroy();
    return new Error(message);
  }
  return new NotRun(
    (await faultIn(answer, bodies)) ?? { code: INTERNAL, message: `${message}${HINT[status] ?? ''}`, data },
  );
}

/** Servers with only the older transport accept no POST at the path of their stream. */
const OLDER = ' It may speak only the older transport over HTTP and SSE, which the proxy does not speak.';
const HINT: Readonly<Record<number, string>> = { 404: OLDER, 405: OLDER };

async function faultIn(answer: IncomingMessage, bodies: Bodies): Promise<Fault | null> {
  const message = await messageOfFailure(answer, bodies).catch(() => null);
  if (message?.kind !== 'response' || !message.isError) return null;
  const { code, message: text, data } = fieldsOf(fieldsOf(JSON.parse(message.text)).error);
  if (typeof code !== 'number' || typeof text !== 'string') return null;
  return { code, message: text, ...(data !== undefined && { data: data as object }) };
}
