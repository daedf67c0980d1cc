/** Puts a client of OpenAI's SDK under a mandate. */
import type { AgentSource } from '../adapters/agent-source.ts';
import { classifyPath, ungovernedCall } from '../adapters/classify-path.ts';
import { startCall } from '../adapters/start-call.ts';
import { markWrapped, refuseWrapped } from '../adapters/wrapped-clients.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { misused } from '../errors.ts';
import type { Agent } from '../types.ts';
import type { OpenAIOptions } from './options.ts';
import { OPENAI_PATHS } from './paths.ts';
import { planCall, type RequestOptions } from './plan-call.ts';
import { RunningCall } from './running-call.ts';
import { type Fetch, linked, linkOf, watchingFetch } from './watch-fetch.ts';

/** A client of `openai` 6 or 7, or of a class that extends it, such as `AzureOpenAI`. */
export type OpenAIClient = {
  baseURL: string;
  chat: { completions: object };
  withOptions(options: object): unknown;
};

type MakeRequest = (options: unknown, ...rest: unknown[]) => Promise<unknown>;

/** The parts of a client that its types hide. */
type Inside = OpenAIClient & { fetch: Fetch; makeRequest: MakeRequest };

/**
 * Returns a client of the same type, and puts its model calls under the mandate. The given client stays as it was.
 *
 * @throws MandateError MANDATES_INVALID, SDK_MISUSED
 */
export function wrapOpenAI<T extends OpenAIClient>(
  client: T,
  mandate: AgentSource,
  options: OpenAIOptions = {},
): T {
  if (!isOpenAIClient(client)) {
    throw misused('This is not a client of openai 6 or 7.', 'Give `new OpenAI()`.');
  }
  refuseWrapped(client);
  const governor = { agent: mandate.agent(options), options };
  return clone(client as unknown as Inside, client.withOptions, {}, governor) as unknown as T;
}

/**
 * Returns true for an object with the parts of a client of OpenAI's SDK. The class is not checked, because a program may
 * have two copies of the package.
 */
export function isOpenAIClient(client: unknown): client is OpenAIClient {
  const { chat, withOptions, makeRequest, fetch } = (client ?? {}) as Partial<Inside>;
  return (
    typeof chat?.completions === 'object' &&
    [withOptions, makeRequest, fetch].every((part) => typeof part === 'function')
  );
}

type Governor = { agent: Agent; options: OpenAIOptions };

type WithOptions = (options: object) => unknown;

function clone(
  client: Inside,
  withOptions: WithOptions,
  options: { fetch?: Fetch },
  governor: Governor,
): Inside {
  const { agent } = governor;
  const inner = options.fetch ?? innerFetches.get(client.fetch) ?? client.fetch;
  const isOfProvider = (url: string) => hostOf(url) === hostOf(own.baseURL);
  const fetch = watchingFetch(inner, isOfProvider, (url) => refused(agent, new URL(url).pathname));
  innerFetches.set(fetch, inner);
  const own = withOptions.call(client, { ...options, fetch }) as Inside;
  govern(own, governor);
  return own;
}

/** A clone of a wrapped client must not watch a request twice. */
const innerFetches = new WeakMap<Fetch, Fetch>();

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/**
 * Every call of the SDK goes through `makeRequest`, and a retry goes through it again. The methods are properties of
 * this client only, and are not enumerable, so the client looks like any other.
 */
function govern(client: Inside, governor: Governor): void {
  const { makeRequest, withOptions } = client;
  markWrapped(client);
  define(client, 'withOptions', (options: { fetch?: Fetch }) =>
    clone(client, withOptions, options, governor),
  );
  define(client, 'makeRequest', async (input: unknown, ...rest: unknown[]) => {
    const options = (await input) as RequestOptions;
    const send = (linkedOptions: RequestOptions) => makeRequest.call(client, linkedOptions, ...rest);
    // The SDK itself refuses a request after its signal has aborted, before it sends anything.
    if (linkOf(options.fetchOptions) !== undefined || options.signal?.aborted === true) return send(options);
    const call = await start(options, governor).catch((error: unknown) => {
      if (options.signal?.aborted === true) return null;
      throw error;
    });
    return call === null ? send(linked(options, 'free')) : run(call, options, send);
  });
}

function define(client: object, name: string, value: unknown): void {
  Object.defineProperty(client, name, { value, writable: true, configurable: true, enumerable: false });
}

/** Returns the call, once it is allowed. Null: it needs no decision. */
async function start(request: RequestOptions, { agent, options }: Governor): Promise<RunningCall | null> {
  const { method, signal = null } = request;
  const path = request.path.split('?', 1)[0] ?? '';
  const found = classifyPath(OPENAI_PATHS, { method, path }, options.ungoverned);
  if (found.class === 'free') return null;
  if (found.class === 'refused') throw refused(agent, path);
  const planned = await planCall(request, found.kind, { agentId: agent.agentId, options });
  const { model, inputTokens, maxOutputTokens } = planned;
  const call = {
    type: 'llm_call' as const,
    provider: options.provider ?? 'openai',
    model,
    inputTokens,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
  return new RunningCall(planned, await startCall(agent, call, signal), signal);
}

/** Sends the request. If the call is stopped before its reply, the caller gets the reason at once. */
async function run(
  call: RunningCall,
  options: RequestOptions,
  send: (options: RequestOptions) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await runUntilAborted(call.action.signal, () =>
      send(linked({ ...options, body: call.planned.body }, call)),
    );
  } catch (error) {
    await call.failed();
    throw error;
  }
}

function refused({ agentId }: Agent, path: string): Error {
  return ungovernedCall(agentId, path, 'Use chat completions, responses or embeddings.');
}
