/** A session under a mandate in this process, and functions that send messages to it as a transport does. */
import { Mandate } from '@mandate/sdk';
import { type Request, readMessage } from '../messages/read-message.ts';
import type { GovernedRequest } from './open-request.ts';
import { type ClientLink, Session } from './session.ts';
import { callerOf, type ProxySettings } from './settings.ts';

export const SETTINGS: ProxySettings = {
  prefix: '',
  filtersLists: true,
  defer: 'error',
  holdMs: 1_000,
  usesHints: true,
  pins: null,
  approvalUrl: null,
};

type Tool = { name: string; [field: string]: unknown };
type Given = {
  mandate?: object;
  settings?: Partial<ProxySettings>;
  tools?: readonly Tool[];
  /** The answer of the client to questions of the proxy. */
  ask?: ClientLink['ask'];
};

/**
 * The result for the client: a result or an error, or `forward` with the frame for the server and the decided action.
 */
type Got = {
  forward?: string;
  action?: object;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
};

export function sessionUnder({ mandate = {}, settings, tools = [], ask = null }: Given) {
  const sdk = new Mandate({ mandate: { allowedTools: ['*'], ...mandate } as never });
  const caller = callerOf(sdk, { agentId: 'coder' });
  const session = new Session({ ...SETTINGS, ...settings });
  let listed = tools;
  let lists = 0;
  const sent: string[] = [];
  const link: ClientLink = {
    send: (frame) => void sent.push(frame),
    ask,
    async askServer() {
      lists += 1;
      return { tools: listed };
    },
  };
  let ids = 0;
  async function call(params: object, method = 'tools/call', signal = AbortSignal.any([])): Promise<Got> {
    ids += 1;
    const text = JSON.stringify({ jsonrpc: '2.0', id: ids, method, params });
    const opened = await session.open(read(text), caller, link, signal);
    if (opened.kind === 'refused') return JSON.parse(opened.frame);
    const answer = readMessage(JSON.stringify({ jsonrpc: '2.0', id: ids, result: { content: [] } }));
    if (answer.kind === 'response') session.answered(opened.call, answer);
    return { forward: opened.frame, action: opened.call.running.action };
  }
  return {
    ...{ sdk, session, caller, call },
    /** The messages that the client gets before its answers. */
    sent,
    /** How often the proxy requested the list of tools from the server. */
    lists: () => lists,
    /** The client states its capabilities, as in `initialize`. */
    canDo(capabilities: object) {
      const params = { capabilities };
      session.notePassing(read(JSON.stringify({ jsonrpc: '2.0', id: 'i', method: 'initialize', params })));
    },
    /** Changes the tools of the server, which then sends a notification. */
    change(next: readonly Tool[]) {
      listed = next;
      const text = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
      const message = readMessage(text);
      if (message.kind === 'notification') session.noteNotification(message);
    },
    /** Returns the names of the tools that the client sees. */
    async list(): Promise<string[]> {
      const request = read('{"jsonrpc":"2.0","id":"l","method":"tools/list"}');
      const answer = readMessage(JSON.stringify({ jsonrpc: '2.0', id: 'l', result: { tools: listed } }));
      if (answer.kind !== 'response') throw new Error('no response');
      const shown = JSON.parse(await session.passing(request, answer, caller));
      return shown.result.tools.map(({ name }: Tool) => name);
    },
  };
}

function read(text: string): GovernedRequest {
  const message = readMessage(text);
  if (message.kind !== 'request') throw new Error(`no request: ${text}`);
  return message as Request as GovernedRequest;
}

/** Returns the text that the client gets about a refused call of a tool. Empty if the call was not refused. */
export function refusalIn({ result }: Got): { code?: string; approvalId?: string } {
  const meta = result?._meta as { 'mandate/refusal'?: { code: string } } | undefined;
  return meta?.['mandate/refusal'] ?? {};
}

/** Returns the code of a refusal, or `ran`. */
export function codeOf(got: Got): unknown {
  return got.forward === undefined ? (refusalIn(got).code ?? got.error?.code) : 'ran';
}
