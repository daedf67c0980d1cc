/** Clients of model providers for the contract: the real packages, against a model server on this machine. */
import Anthropic from '@anthropic-ai/sdk';
import { type ModelServer, startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';
import type { Mandate } from '../index.ts';
import type { AgentUnder } from './scene.ts';

const MODEL = 'model-a';

/**
 * In micro-dollars a token: 3 for input, 0.3 for input from a cache, 3.75 for input that is written to a cache, 15 for
 * output.
 */
const PRICES = {
  inputPerMillion: 3,
  cachedInputPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
  outputPerMillion: 15,
};

/** The tokens that a call states before it runs. The call reserves 1,000 × 3 + 500 × 15 = 10,500 micro-dollars. */
const STATED = { inputTokens: 1_000, maxOutputTokens: 500 };
export const RESERVED = 10_500;
export const TOKENS = STATED.inputTokens + STATED.maxOutputTokens;

/** One call of a model, by the package of a provider. */
export type Client = {
  name: 'openai 7' | 'openai 6' | 'anthropic';
  /** @param timeoutMs how long one attempt may take */
  create(timeoutMs?: number): Promise<unknown>;
  /** Reads a streamed answer. `onText` gets the whole text so far. If `onText` returns true, the reader stops. */
  stream(onText?: (text: string) => unknown, signal?: AbortSignal): Promise<void>;
  agentId: string;
  mandate: Mandate;
  server: ModelServer;
};

/**
 * Returns a client of each package. Each client has its own agent and model server.
 *
 * @param limits the limits of each agent. Default: ten dollars
 */
export async function openClients(
  agentUnder: AgentUnder,
  limits: object = { maxCostTotal: 10 },
): Promise<Client[]> {
  const open = async () => {
    const document = { ...limits, modelPrices: { [MODEL]: PRICES } };
    const [agent, server] = await Promise.all([agentUnder(document), startModelServer()]);
    return { ...agent, server };
  };
  const [seven, six, anthropic] = await Promise.all([open(), open(), open()]);
  return [
    { name: 'openai 7', ...seven, ...openaiCalls(OpenAI, seven) },
    { name: 'openai 6', ...six, ...openaiCalls(OpenAI6 as unknown as typeof OpenAI, six) },
    { name: 'anthropic', ...anthropic, ...anthropicCalls(anthropic) },
  ];
}

type Opened = Pick<Client, 'mandate' | 'server'>;
type Calls = Pick<Client, 'create' | 'stream'>;

const messages = [{ role: 'user' as const, content: 'Hi' }];
const asked = { model: MODEL, max_tokens: STATED.maxOutputTokens, messages };
const countTokens = () => STATED.inputTokens;

function openaiCalls(Class: typeof OpenAI, { mandate, server }: Opened): Calls {
  const bare = new Class({ apiKey: 'sk-test', baseURL: server.openaiUrl, logLevel: 'off' });
  const openai = mandate.wrap(bare, { countTokens });
  return {
    create: (timeout = 60_000) => openai.chat.completions.create(asked, { timeout }),
    async stream(onText = () => {}, signal) {
      let text = '';
      const options = signal === undefined ? {} : { signal };
      for await (const { choices } of await openai.chat.completions.create(
        { ...asked, stream: true },
        options,
      )) {
        text += choices[0]?.delta.content ?? '';
        if ((await onText(text)) === true) break;
      }
    },
  };
}

function anthropicCalls({ mandate, server }: Opened): Calls {
  const bare = new Anthropic({ apiKey: 'sk-test', baseURL: server.url, logLevel: 'off' });
  const anthropic = mandate.wrap(bare, { countTokens });
  return {
    create: (timeout = 60_000) => anthropic.messages.create(asked, { timeout }),
    async stream(onText = () => {}, signal) {
      let text = '';
      const options = signal === undefined ? {} : { signal };
      for await (const event of await anthropic.messages.create({ ...asked, stream: true }, options)) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          text += event.delta.text;
        if ((await onText(text)) === true) break;
      }
    },
  };
}
