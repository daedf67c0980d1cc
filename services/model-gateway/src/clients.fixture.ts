/** The SDKs of the providers, in two majors each, as clients of one interface. */
import Anthropic from '@anthropic-ai/sdk';
import { IS_SHORT } from '@mandate/testing';
import Anthropic0 from 'anthropic-0';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';

export type At = { openaiUrl: string; anthropicUrl: string; apiKey: string };

export type Client = {
  name: string;
  protocol: 'openai' | 'anthropic';
  /** Sends one call, with at most these retries. Resolves to the whole answer. */
  create(at: At, options?: CallOptions): Promise<object>;
  /** Streams one call. Resolves to all events. `onEvent` may throw, as a reader that stops. */
  stream(
    at: At,
    options?: CallOptions & { onEvent?: (event: object, stop: () => void) => void },
  ): Promise<object[]>;
};

export type CallOptions = { model?: string; headers?: Record<string, string>; maxRetries?: number };

const MESSAGES = [{ role: 'user' as const, content: 'Say hello.' }];
export const OPENAI_MODEL = 'gpt-4o-mini';
export const ANTHROPIC_MODEL = 'claude-of-tests';

function openaiClient(name: string, Class: typeof OpenAI): Client {
  const open = ({ openaiUrl: baseURL, apiKey }: At, { maxRetries = 0, headers = {} }: CallOptions) =>
    new Class({ apiKey, baseURL, maxRetries, defaultHeaders: headers, logLevel: 'off' });
  return {
    name,
    protocol: 'openai',
    create: (at, options = {}) =>
      open(at, options).chat.completions.create({
        model: options.model ?? OPENAI_MODEL,
        messages: MESSAGES,
        max_completion_tokens: 100,
      }),
    async stream(at, { onEvent = () => {}, ...options } = {}) {
      const stream = await open(at, options).chat.completions.create({
        model: options.model ?? OPENAI_MODEL,
        messages: MESSAGES,
        max_completion_tokens: 100,
        stream: true,
      });
      const events: object[] = [];
      for await (const event of stream) {
        events.push(event);
        onEvent(event, () => stream.controller.abort());
      }
      return events;
    },
  };
}

function anthropicClient(name: string, Class: typeof Anthropic): Client {
  const open = ({ anthropicUrl: baseURL, apiKey }: At, { maxRetries = 0, headers = {} }: CallOptions) =>
    new Class({ apiKey, baseURL, maxRetries, defaultHeaders: headers, logLevel: 'off' });
  return {
    name,
    protocol: 'anthropic',
    create: (at, options = {}) =>
      open(at, options).messages.create({
        model: options.model ?? ANTHROPIC_MODEL,
        messages: MESSAGES,
        max_tokens: 100,
      }),
    async stream(at, { onEvent = () => {}, ...options } = {}) {
      const stream = await open(at, options).messages.create({
        model: options.model ?? ANTHROPIC_MODEL,
        messages: MESSAGES,
        max_tokens: 100,
        stream: true,
      });
      const events: object[] = [];
      for await (const event of stream) {
        events.push(event);
        onEvent(event, () => stream.controller.abort());
      }
      return events;
    },
  };
}

export const CLIENTS: readonly Client[] = [
  openaiClient('openai 7', OpenAI),
  openaiClient('openai 6', OpenAI6 as unknown as typeof OpenAI),
  anthropicClient('@anthropic-ai/sdk 1', Anthropic),
  anthropicClient('@anthropic-ai/sdk 0', Anthropic0 as unknown as typeof Anthropic),
];

const NEWEST = CLIENTS.filter(({ name }) => ['openai 7', '@anthropic-ai/sdk 1'].includes(name));

/** The SDKs of most tests. In a short run, only the newest SDK of each provider. */
export const CLIENTS_OF_RUN: readonly Client[] = IS_SHORT ? NEWEST : CLIENTS;
